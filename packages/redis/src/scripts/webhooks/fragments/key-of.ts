import { defineFragment } from '../../../define-fragment.ts';

/** `keyOf(kind, name)`: a key of the table at `WebhookKeys`. It needs the script's key `root`. */
export const KEY_OF = defineFragment({
  lua: `
local function keyOf(kind, name) return rootKey .. ':' .. kind .. ':' .. name end
`,
});
