import { defineFragment } from '../../../define-fragment.ts';
import { KEY_OF } from './key-of.ts';

/**
 * Changes of a webhook's hash: the caller collects them in a list, and one command writes them.
 *
 * - `change(changes, field, value)`: adds a change to the list.
 * - `saveChanges(webhook, changes)`: writes the changes in the list, if any.
 */
export const CHANGES = defineFragment({
  uses: [KEY_OF],
  lua: `
local function change(changes, field, value)
  changes[#changes + 1] = field
  changes[#changes + 1] = value
end

local function saveChanges(webhook, changes)
  if #changes > 0 then redis.call('HSET', keyOf('webhook', webhook), unpack(changes)) end
end
`,
});
