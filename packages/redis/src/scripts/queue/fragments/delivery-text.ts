import { ATTEMPTS_KEPT } from '@latchhook/core/storage';
import { defineFragment } from '../../../define-fragment.ts';

/**
 * A delivery is one text in the hash of its webhook: its fields in one line, in the order below, then a line for each
 * attempt that has ended, the newest {@link ATTEMPTS_KEPT}. `reason` is `-` where it was not given up. One command
 * writes those of many deliveries, and a first try that succeeds needs none that reads. A delivery that never ended an
 * attempt has no text: it is in the log, and nothing is known of it but its place there.
 *
 * - `newDelivery(sequence, createdAtMs, expiresAtMs)`: a table of the fields and `attempts`, the lines behind them
 *   (each with its line feed), of a delivery that ended no attempt.
 * - `parseDelivery(text)`: the same, of one that did.
 * - `addAttempt(delivery, line)`: adds the line of an attempt, and drops the oldest.
 * - `deliveryText(delivery)`: the text again.
 */
export const DELIVERY_TEXT = defineFragment({
  lua: `
local function newDelivery(sequence, createdAtMs, expiresAtMs)
  return {sequence = sequence, state = 'waiting', attempt = 0, failures = 0, lost = 0, notCounted = 0,
    createdAtMs = createdAtMs, expiresAtMs = expiresAtMs, reason = '-', attempts = ''}
end

local function parseDelivery(text)
  local sequence, state, attempt, failures, lost, notCounted, createdAtMs, expiresAtMs, reason, attempts =
    text:match('^(%d+) (%a+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%S+)(.*)$')
  return {sequence = tonumber(sequence), state = state, attempt = tonumber(attempt), failures = tonumber(failures),
    lost = tonumber(lost), notCounted = tonumber(notCounted), createdAtMs = tonumber(createdAtMs),
    expiresAtMs = tonumber(expiresAtMs), reason = reason, attempts = attempts}
end

local function addAttempt(delivery, line)
  delivery.attempts = delivery.attempts .. '\\n' .. line
  local _, count = delivery.attempts:gsub('\\n', '')
  for _ = ${ATTEMPTS_KEPT} + 1, count do delivery.attempts = delivery.attempts:gsub('^\\n[^\\n]*', '', 1) end
end

local function deliveryText(delivery)
  return string.format('%d %s %d %d %d %d %d %d %s%s', delivery.sequence, delivery.state, delivery.attempt,
    delivery.failures, delivery.lost, delivery.notCounted, delivery.createdAtMs, delivery.expiresAtMs, delivery.reason,
    delivery.attempts)
end
`,
});
