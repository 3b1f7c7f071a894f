import { defineFragment } from '../../../define-fragment.ts';

/**
 * A delivery is one text in the hash of its webhook: its fields in one line, in the order below, then a line for each
 * attempt that has ended. `reason` is `-` where it was not given up. One command writes those of many deliveries, and a
 * first try that succeeds needs none that reads. A delivery that never ended an attempt has no text: it is in the log,
 * and nothing is known of it but its place there.
 *
 * - `parseDelivery(text)`: a table of the fields and `attempts`, the lines behind them (each with its line feed).
 * - `deliveryText(delivery)`: the text again.
 */
export const DELIVERY_TEXT = defineFragment({
  lua: `
local function parseDelivery(text)
  local sequence, state, attempt, failures, lost, notCounted, createdAtMs, expiresAtMs, reason, attempts =
    text:match('^(%d+) (%a+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%S+)(.*)$')
  return {sequence = tonumber(sequence), state = state, attempt = tonumber(attempt), failures = tonumber(failures),
    lost = tonumber(lost), notCounted = tonumber(notCounted), createdAtMs = tonumber(createdAtMs),
    expiresAtMs = tonumber(expiresAtMs), reason = reason, attempts = attempts}
end

local function deliveryText(delivery)
  return string.format('%d %s %d %d %d %d %d %d %s%s', delivery.sequence, delivery.state, delivery.attempt,
    delivery.failures, delivery.lost, delivery.notCounted, delivery.createdAtMs, delivery.expiresAtMs, delivery.reason,
    delivery.attempts)
end
`,
});
