import { defineFragment } from '../../../define-fragment.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';
import { RATE } from './rate.ts';

/**
 * `openLine(webhook, marginMs)`: a `line` as `LINES` has it, without its counts, and whether the webhook `isDisabled`;
 * or `nil`. `marginMs` is that of the rate; by default the one that the last publisher came with.
 */
export const OPEN_LINE = defineFragment({
  uses: [KEY_OF, RATE],
  lua: `
local function openLine(webhook, marginMs)
  local limit, period, knownMarginMs, wasRetryLast, activeMs, disabledAtMs, pausedUntilMs = unpack(
    redis.call('HMGET', keyOf('webhook', webhook),
      'rateLimit', 'rateLimitPeriod', 'rateMarginMs', 'wasRetryLast', 'activeMs', 'disabledAtMs', 'pausedUntilMs'))
  if not limit then return nil end
  return {webhook = webhook,
    rate = rateOf(webhook, limit, period, marginMs or tonumber(knownMarginMs or 0), pausedUntilMs),
    wasRetryLast = wasRetryLast == '1', activeMs = activeMs, isDisabled = disabledAtMs}
end
`,
});
