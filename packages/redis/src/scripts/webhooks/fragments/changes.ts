/**
 * Changes of a webhook's hash, written by one command. Needs `keyOf`.
 *
 * - `change(field, value)`: notes a change.
 * - `saveChanges(webhook)`: writes the changes that were noted, if any.
 */
export const CHANGES = `
local changes = {}

local function change(field, value)
  changes[#changes + 1] = field
  changes[#changes + 1] = value
end

local function saveChanges(webhook)
  if #changes > 0 then redis.call('HSET', keyOf('webhook', webhook), unpack(changes)) end
  changes = {}
end
`;
