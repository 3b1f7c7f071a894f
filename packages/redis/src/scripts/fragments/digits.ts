import { defineFragment } from '../../define-fragment.ts';

/**
 * `digits(number)`: an integer as text. This is faster than passing a number to a command, which Redis formats as a
 * floating-point number each time. It needs a 64-bit Redis because times in ms do not fit into 32 bits.
 */
export const DIGITS = defineFragment({
  lua: `
local function digits(number) return string.format('%d', number) end
`,
});
