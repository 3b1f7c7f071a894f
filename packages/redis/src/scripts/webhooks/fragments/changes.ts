/**
 * Changes of a webhook's hash, made by one command. Needs `keyOf`.
 *
 * - `change(field, value)`: notes one.
 * - `saveChanges(webhook)`: makes those that were noted, if any were.
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
