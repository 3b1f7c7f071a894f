import { defineFragment } from '../../../define-fragment.ts';
import { KEY_OF } from './key-of.ts';

/**
 * Changes of a webhook's hash, written by one command.
 *
 * - `change(field, value)`: notes a change.
 * - `saveChanges(webhook)`: writes the changes that were noted, if any.
 */
export const CHANGES = defineFragment({
  uses: [KEY_OF],
  lua: `
local changes = {}

local function change(field, value)
  changes[#changes + 1] = field
  changes[#changes + 1] = value
end

local function saveChanges(webhook)
  if #changes > 0 then redis.call('HSET', keyOf('webhook', webhook), unpack(changes)) end
  changes = {}
end
`,
  before: 'changes = {}',
});
