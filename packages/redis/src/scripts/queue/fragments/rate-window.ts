import { LONGEST_RATE_MARGIN_MS, MAX_RATE_LIMIT } from '@latchhook/core/storage';
import { defineFragment } from '../../../define-fragment.ts';
import { DIGITS } from '../../fragments/digits.ts';
import { CHANGES } from '../../webhooks/fragments/changes.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';

/**
 * The starts of a webhook within the window of its rate limit. `window` has an entry `<ms> <count>` for each claim,
 * oldest first, where `ms` is the latest time at which its attempts may begin; `windowCount` of the webhook's hash is
 * the sum. So a check only removes the entries that have left the window since the last check.
 *
 * `rateWindow(webhook, limit, periodMs, count)`: removes the entries that have left the window; `count` is the stored
 * `windowCount`. Returns how many attempts may start now (negative if the limit was lowered), how many starts are in
 * the window, and when the oldest entry leaves the window (`nil`: the window is empty). If an entry is further in the
 * future than any margin, the clock was set back; then all starts count as if they were now.
 *
 * Outer values: `now`, `nowText`.
 */
export const RATE_WINDOW = defineFragment({
  uses: [KEY_OF, DIGITS],
  lua: `
local function rateWindow(webhook, limit, periodMs, count)
  if count == 0 then return limit, 0, nil end
  local windowKey = keyOf('window', webhook)
  while true do
    local entry = redis.call('LINDEX', windowKey, '0')
    if not entry then return limit, 0, nil end
    local ms, starts = entry:match('^(%d+) (%d+)$')
    ms = tonumber(ms)
    if ms - now > ${LONGEST_RATE_MARGIN_MS} then
      redis.call('DEL', windowKey)
      redis.call('RPUSH', windowKey, nowText .. ' ' .. digits(count))
      ms = now
    end
    if now - ms < periodMs then return limit - count, count, ms + periodMs end
    redis.call('LPOP', windowKey)
    count = count - starts
  end
end
`,
});

/**
 * `fillWindow(webhook, changes)`: fills the window, at the time of the last start, with as many starts as the highest
 * possible limit, so that nothing starts until the last start has left the window.
 */
export const FILL_WINDOW = defineFragment({
  uses: [KEY_OF, CHANGES],
  lazyFunction: 'fillWindow(webhook, changes)',
  body: `
  local windowKey = keyOf('window', webhook)
  local lastStartMs = redis.call('HGET', keyOf('webhook', webhook), 'lastStartMs')
  redis.call('DEL', windowKey)
  if lastStartMs then redis.call('RPUSH', windowKey, lastStartMs .. ' ${MAX_RATE_LIMIT}') end
  change(changes, 'windowCount', lastStartMs and '${MAX_RATE_LIMIT}' or '0')
`,
});
