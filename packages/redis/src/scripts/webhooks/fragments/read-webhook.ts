import { defineFragment } from '../../../define-fragment.ts';
import { KEY_OF } from './key-of.ts';

/** `readWebhook(webhook)`: a record as `parseWebhookRecord` reads it, or `nil`. */
export const READ_WEBHOOK = defineFragment({
  uses: [KEY_OF],
  lua: `
local function readWebhook(webhook)
  local found = redis.call('HMGET', keyOf('webhook', webhook), 'event', 'url', 'rateLimit',
    'rateLimitPeriod', 'sequence', 'secrets', 'createdAtMs', 'updatedAtMs', 'disabledAtMs',
    'disabledReason')
  if not found[1] then return nil end
  return {webhook, found[1], found[2], found[3], found[4], found[5], found[6], found[7], found[8],
    found[9] or 0, found[10] or ''}
end
`,
});
