import { ATTEMPTS_KEPT, type AttemptEnd } from '@latchhook/core/storage';
import { defineFragment } from '../../../define-fragment.ts';

/** The field `reason` of a delivery that has not failed. As spaces separate the fields, no field may be empty. */
export const NO_REASON = '-';

/**
 * A delivery is one text in the hash of its webhook: a line with the fields, in the order of `deliveryText`, then a
 * line for each of the last {@link ATTEMPTS_KEPT} attempts that have ended. `attempt` is the number of the last attempt
 * that has ended. `failures` counts the tries that have failed since publishing or the last redelivery, `stalled` the
 * attempts in a row whose lease expired, and `notCounted` those in a row that were not counted. `reason` is
 * {@link NO_REASON} unless the delivery has failed.
 *
 * With this format, one command writes many deliveries, and a first attempt that succeeds needs no read. Before the
 * first attempt has ended, a delivery has no text, only its entry in the log.
 *
 * - `newDelivery(sequence, createdAt, expiresAtMs)`: a delivery before its first attempt has ended, as a table with
 *   the fields and `attempts`, the lines that follow the first line (each begins with a line feed).
 * - `parseDelivery(text)`: parses the text to such a table.
 * - `addAttempt(delivery, line)`: adds the line of an attempt, and drops the oldest line beyond the limit.
 * - `deliveryText(delivery)`: serialises the table to the text.
 */
export const DELIVERY_TEXT = defineFragment({
  lua: `
local function newDelivery(sequence, createdAt, expiresAtMs)
  return {sequence = sequence, state = 'waiting', attempt = 0, failures = 0, stalled = 0, notCounted = 0,
    createdAt = createdAt, expiresAtMs = expiresAtMs, reason = '${NO_REASON}', attempts = ''}
end

local function parseDelivery(text)
  local sequence, state, attempt, failures, stalled, notCounted, createdAt, expiresAtMs, reason, attempts =
    text:match('^(%d+) (%a+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%S+)(.*)$')
  return {sequence = tonumber(sequence), state = state, attempt = tonumber(attempt), failures = tonumber(failures),
    stalled = tonumber(stalled), notCounted = tonumber(notCounted), createdAt = createdAt,
    expiresAtMs = tonumber(expiresAtMs), reason = reason, attempts = attempts}
end

local function addAttempt(delivery, line)
  delivery.attempts = delivery.attempts .. '\\n' .. line
  local _, count = delivery.attempts:gsub('\\n', '')
  for _ = ${ATTEMPTS_KEPT} + 1, count do delivery.attempts = delivery.attempts:gsub('^\\n[^\\n]*', '', 1) end
end

local function deliveryText(delivery)
  return string.format('%d %s %d %d %d %d %d %d %s%s', delivery.sequence, delivery.state, delivery.attempt,
    delivery.failures, delivery.stalled, delivery.notCounted, delivery.createdAt, delivery.expiresAtMs, delivery.reason,
    delivery.attempts)
end
`,
});

/**
 * The text of a delivery that its first attempt has delivered. `line` is the line of this attempt.
 *
 * This is the most common end of a delivery, and its text needs nothing that Redis stores. So it is formatted here,
 * which costs Redis nothing.
 */
export function deliveredText(
  { sequence, createdAtMs, expiresAtMs }: AttemptEnd,
  line: string,
): string {
  return `${sequence} delivered 1 0 0 0 ${createdAtMs} ${expiresAtMs} ${NO_REASON}\n${line}`;
}
