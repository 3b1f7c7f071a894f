import { ATTEMPTS_KEPT } from '@latchhook/core/storage';
import { defineFragment } from '../../../define-fragment.ts';

/** The field `reason` of a delivery that has not failed. The fields are separated by blanks, so none may be empty. */
export const NO_REASON = '-';

/**
 * A delivery is one text in the hash of its webhook: its fields in one line, in the order of `deliveryText`, then a
 * line for each of the last {@link ATTEMPTS_KEPT} attempts that have ended. `reason` is {@link NO_REASON} unless the
 * delivery has failed; `stalled` counts the attempts in a row whose lease expired.
 *
 * One command writes many deliveries, and a first attempt that succeeds needs no read. A delivery of which no attempt
 * has ended has no text: only its entry in the log exists.
 *
 * - `newDelivery(sequence, createdAtMs, expiresAtMs)`: a delivery of which no attempt has ended, as a table of the
 *   fields and `attempts`, the lines that follow them (each with its line feed before it).
 * - `parseDelivery(text)`: the same table, from the text.
 * - `addAttempt(delivery, line)`: adds the line of an attempt, and drops the oldest beyond the limit.
 * - `deliveryText(delivery)`: the text, from the table.
 */
export const DELIVERY_TEXT = defineFragment({
  lua: `
local function newDelivery(sequence, createdAtMs, expiresAtMs)
  return {sequence = sequence, state = 'waiting', attempt = 0, failures = 0, stalled = 0, notCounted = 0,
    createdAtMs = createdAtMs, expiresAtMs = expiresAtMs, reason = '${NO_REASON}', attempts = ''}
end

local function parseDelivery(text)
  local sequence, state, attempt, failures, stalled, notCounted, createdAtMs, expiresAtMs, reason, attempts =
    text:match('^(%d+) (%a+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%S+)(.*)$')
  return {sequence = tonumber(sequence), state = state, attempt = tonumber(attempt), failures = tonumber(failures),
    stalled = tonumber(stalled), notCounted = tonumber(notCounted), createdAtMs = tonumber(createdAtMs),
    expiresAtMs = tonumber(expiresAtMs), reason = reason, attempts = attempts}
end

local function addAttempt(delivery, line)
  delivery.attempts = delivery.attempts .. '\\n' .. line
  local _, count = delivery.attempts:gsub('\\n', '')
  for _ = ${ATTEMPTS_KEPT} + 1, count do delivery.attempts = delivery.attempts:gsub('^\\n[^\\n]*', '', 1) end
end

local function deliveryText(delivery)
  return string.format('%d %s %d %d %d %d %d %d %s%s', delivery.sequence, delivery.state, delivery.attempt,
    delivery.failures, delivery.stalled, delivery.notCounted, delivery.createdAtMs, delivery.expiresAtMs, delivery.reason,
    delivery.attempts)
end
`,
});
