import { defineFragment } from '../../../define-fragment.ts';

/**
 * Keys of the table at `WebhookKeys`.
 *
 * - `keyOf(kind, name)`: the key `<root>:<kind>:<name>`; pass the whole name
 * - `ownedKey(kind, accountId, name)`: the key `<root>:<kind>:<accountId>/<name>`; pass the name without the account
 *
 * Outer values: `rootKey`.
 */
export const KEY_OF = defineFragment({
  lua: `
local function keyOf(kind, name) return rootKey .. ':' .. kind .. ':' .. name end
local function ownedKey(kind, accountId, name) return rootKey .. ':' .. kind .. ':' .. accountId .. '/' .. name end
`,
});
