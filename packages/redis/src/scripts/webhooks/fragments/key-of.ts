import { defineFragment } from '../../../define-fragment.ts';

/** `keyOf(kind, name)`: a key that `WebhookKeys` describes. Needs the key `root`. */
export const KEY_OF = defineFragment({
  lua: `
local function keyOf(kind, name) return rootKey .. ':' .. kind .. ':' .. name end
`,
});
