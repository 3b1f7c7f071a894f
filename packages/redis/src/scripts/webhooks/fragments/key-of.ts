import { defineFragment } from '../../../define-fragment.ts';

/**
 * Keys of the table at `WebhookKeys`. They need the script's key `root`.
 *
 * - `keyOf(kind, name)`
 * - `ownedKey(kind, accountId, name)`: of a name that begins with its account
 */
export const KEY_OF = defineFragment({
  lua: `
local function keyOf(kind, name) return rootKey .. ':' .. kind .. ':' .. name end
local function ownedKey(kind, accountId, name) return rootKey .. ':' .. kind .. ':' .. accountId .. '/' .. name end
`,
});
