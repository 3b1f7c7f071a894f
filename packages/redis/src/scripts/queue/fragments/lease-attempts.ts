import { defineFragment } from '../../../define-fragment.ts';
import { LEASE_TEXT } from './lease-text.ts';
import { MESSAGE_TIMES } from './message.ts';

/**
 * `leaseAttempts(queue, leaseEndText, leases, claimed)`: leases the attempts in `queue.taken`, except those whose
 * message does not exist, has expired, or was published again under the same id. Appends to `leases`, for ZADD, and to
 * `claimed`, the reply of `queue/claim`, which documents the order of its values. Returns the number of leased attempts
 * and when the last of their messages expires.
 *
 * Outer values: `now`.
 */
export const LEASE_ATTEMPTS = defineFragment({
  uses: [LEASE_TEXT, MESSAGE_TIMES],
  lua: `
local function leaseAttempts(queue, leaseEndText, leases, claimed)
  local before, count, lastsUntilMs = #claimed, 0, now
  -- The position of the last value in \`claimed\`: four values of the webhook are first, then six of each attempt.
  local last = before + 4
  for _, attempt in ipairs(queue.taken) do
    local createdAt, expiresAtMs = messageTimes(attempt.message or '')
    attempt.createdAt = attempt.createdAt or createdAt
    if expiresAtMs and now < expiresAtMs and attempt.createdAt == createdAt then
      lastsUntilMs = math.max(lastsUntilMs, expiresAtMs)
      leases[#leases + 1] = leaseEndText
      leases[#leases + 1] = leaseText(queue, attempt)
      if count == 0 then
        claimed[before + 1], claimed[before + 2], claimed[before + 3] = queue.name, queue.url, queue.secrets
        claimed[before + 4] = 0
      end
      count = count + 1
      claimed[last + 1], claimed[last + 2], claimed[last + 3] = attempt.id, attempt.attempt, attempt.sequence
      claimed[last + 4], claimed[last + 5], claimed[last + 6] = attempt.failures, attempt.notCounted, attempt.message
      last = last + 6
    end
  end
  if count > 0 then claimed[before + 4] = count end
  return count, lastsUntilMs
end
`,
});
