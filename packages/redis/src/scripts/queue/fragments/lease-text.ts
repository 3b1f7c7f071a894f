import { defineFragment } from '../../../define-fragment.ts';

/**
 * A lease is one text: four numbers, the length of the webhook's name, this name, and the id of the delivery. With the
 * length, the text can be parsed whatever characters the name and the id contain.
 *
 * - `leaseText(webhook, id, attempt, sequence, claimedAtMs, createdAtMs)`
 * - `parseLease(lease)`: the values in the order of the parameters of `leaseText`.
 */
export const LEASE_TEXT = defineFragment({
  lua: `
local function leaseText(webhook, id, attempt, sequence, claimedAtMs, createdAtMs)
  return string.format('%d %d %d %d %d %s %s', attempt, sequence, claimedAtMs, createdAtMs, #webhook, webhook, id)
end

local function parseLease(lease)
  local attempt, sequence, claimedAtMs, createdAtMs, length, names =
    lease:match('^(%d+) (%d+) (%d+) (%d+) (%d+) (.*)$')
  length = tonumber(length)
  return names:sub(1, length), names:sub(length + 2), tonumber(attempt), tonumber(sequence), tonumber(claimedAtMs),
    tonumber(createdAtMs)
end
`,
});
