import { defineFragment } from '../../../define-fragment.ts';

/** `deadMember(sequence, id)`: a delivery as `dead` has it: the sequence breaks ties of time. */
export const DEAD_MEMBER = defineFragment({
  lua: `
local function deadMember(sequence, id) return string.format('%016d', sequence) .. id end
`,
});
