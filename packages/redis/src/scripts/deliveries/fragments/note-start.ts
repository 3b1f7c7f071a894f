import { MAX_RATE_LIMIT, RATE_LIMIT_PERIOD_MS } from '@latchhook/core/storage';
import { defineFragment } from '../../../define-fragment.ts';
import { DIGITS } from '../../fragments/digits.ts';
import { KEEP_KNOWN } from './keep-known.ts';
import { RATE } from './rate.ts';

/** How much longer the list of starts lives than its last start counts. `keepKnown` says how long that may be. */
const STARTS_LINGER_MS = RATE_LIMIT_PERIOD_MS.minute;

/** How many starts come between two clean-ups of the list of starts. */
const TRIM_EVERY = 16;

/**
 * `noteStart(changes, line, marginMs, startsUntilMs)`: an attempt starts now, and counts for the rate. `startsUntilMs`
 * is that of the webhook's hash.
 *
 * A start is kept for the longest period, whichever this is: it may be changed, and what started before counts. Two
 * times as many are removed as have come, so that what a burst has left goes too.
 */
export const NOTE_START = defineFragment({
  uses: [DIGITS, RATE, KEEP_KNOWN],
  lua: `
local function noteStart(changes, line, marginMs, startsUntilMs)
  local startsKey, keptMs = line.rate.startsKey, ${RATE_LIMIT_PERIOD_MS.minute} + marginMs
  settleStarts(line.rate)
  local kept = redis.call('LPUSH', startsKey, digits(now))
  if kept % ${TRIM_EVERY} == 0 then
    local oldest = startAt(line.rate, -2 * ${TRIM_EVERY})
    if oldest and (kept > ${MAX_RATE_LIMIT} + 2 * ${TRIM_EVERY} or now - oldest >= keptMs) then
      redis.call('LTRIM', startsKey, 0, -1 - 2 * ${TRIM_EVERY})
    end
  end
  keepKnown(changes, 'starts', line.webhook, startsUntilMs, now + keptMs, ${STARTS_LINGER_MS})
end
`,
});
