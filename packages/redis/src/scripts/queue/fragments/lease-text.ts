import type { AttemptEnd } from '@latchhook/core/storage';
import { defineFragment } from '../../../define-fragment.ts';

/**
 * A lease is one text: the number of the attempt, the sequence of the delivery, the time of the claim, the time of
 * publishing, the length of the webhook's name in bytes, this name, and the id of the delivery. With the length, the
 * text can be parsed whatever characters the name and the id contain.
 *
 * - `leaseText(queue, attempt)`: the lease of an attempt that is claimed now; `queue` has the `name` of the webhook.
 * - `parseLease(lease)`: the name, the id, the number of the attempt, the sequence, the time of the claim, and the time
 *   of publishing as text.
 *
 * Outer values: `nowText`.
 */
export const LEASE_TEXT = defineFragment({
  lua: `
local function leaseText(queue, attempt)
  return attempt.attempt .. ' ' .. attempt.sequence .. ' ' .. nowText .. ' ' .. attempt.createdAt .. ' ' .. #queue.name
    .. ' ' .. queue.name .. ' ' .. attempt.id
end

local function parseLease(lease)
  local attempt, sequence, claimedAtMs, createdAt, length, names =
    lease:match('^(%d+) (%d+) (%d+) (%d+) (%d+) (.*)$')
  length = tonumber(length)
  return names:sub(1, length), names:sub(length + 2), tonumber(attempt), tonumber(sequence), tonumber(claimedAtMs),
    createdAt
end
`,
});

/** The text of the lease of an attempt that has ended. */
export function leaseTextOf(webhook: string, end: AttemptEnd): string {
  const { attempt, sequence, claimedAtMs, createdAtMs, deliveryId } = end;
  const numbers = `${attempt} ${sequence} ${claimedAtMs} ${createdAtMs}`;
  return `${numbers} ${Buffer.byteLength(webhook)} ${webhook} ${deliveryId}`;
}
