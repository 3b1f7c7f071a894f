import { defineFragment } from '../../../define-fragment.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';
import { RATE } from './rate.ts';

/** `openLine(webhook)`: a `line` as `LINES` has it, without its counts, and whether the webhook `isDisabled`; or `nil`. */
export const OPEN_LINE = defineFragment({
  uses: [KEY_OF, RATE],
  lua: `
local function openLine(webhook)
  local limit, period, marginMs, wasRetryLast, activeMs, disabledAtMs = unpack(
    redis.call('HMGET', keyOf('webhook', webhook),
      'rateLimit', 'rateLimitPeriod', 'rateMarginMs', 'wasRetryLast', 'activeMs', 'disabledAtMs'))
  if not limit then return nil end
  return {webhook = webhook, rate = rateOf(webhook, limit, period, tonumber(marginMs or 0)),
    wasRetryLast = wasRetryLast == '1', activeMs = activeMs, isDisabled = disabledAtMs}
end
`,
});
