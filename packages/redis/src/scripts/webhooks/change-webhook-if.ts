import type {
  ConditionalChangeOutcome,
  ConditionalWebhookChange,
  WebhookRef,
} from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import type { CallScript } from '../../script-caller.ts';
import { type WebhookKeys, webhookName } from '../../webhook-keyspace.ts';
import { parseWebhookRecord } from '../../webhook-record.ts';
import { CHANGES } from './fragments/changes.ts';
import { READ_WEBHOOK } from './fragments/read-webhook.ts';

/**
 * Changes the given fields of a webhook, if those that are expected are so. An empty one stays as it is, or may be
 * anything. `updatedAtMs` changes only where something differs.
 *
 * Outcomes: `changed`, also where all is so already, by a call before; `differs`, where a field is not as expected, and
 * nothing is changed; each with the time and the record. `unknown`.
 *
 * Comparing and writing is one script: otherwise a change in between would be lost.
 */
const script = defineScript({
  name: 'change-webhook-if',
  keys: ['root'],
  args: {
    webhook: 'text',
    expectedUrl: 'text',
    expectedRateLimit: 'text',
    expectedRateLimitPeriod: 'text',
    url: 'text',
    rateLimit: 'text',
    rateLimitPeriod: 'text',
  },
  uses: [CHANGES, READ_WEBHOOK],
  lua: `
local record = readWebhook(webhook)
if not record then return answer('unknown') end
local differs = false
local function compareAndChange(value, expected, field, given)
  if expected ~= '' and expected ~= value then differs = true end
  if given ~= '' and given ~= value then change(field, given) end
end
compareAndChange(record[3], expectedUrl, 'url', url)
compareAndChange(record[4], expectedRateLimit, 'rateLimit', rateLimit)
compareAndChange(record[5], expectedRateLimitPeriod, 'rateLimitPeriod', rateLimitPeriod)
if #changes == 0 then return answer('changed', now, record) end
if differs then return answer('differs', now, record) end
change('updatedAtMs', now)
saveChanges(webhook)
return answer('changed', now, readWebhook(webhook))
`,
});

export async function changeWebhookIf(
  call: CallScript,
  keys: WebhookKeys,
  ref: WebhookRef,
  { expected, change }: ConditionalWebhookChange,
): Promise<ConditionalChangeOutcome | null> {
  const reply = await call(script, keys, {
    webhook: webhookName(ref),
    expectedUrl: expected.url ?? '',
    expectedRateLimit: String(expected.rateLimit ?? ''),
    expectedRateLimitPeriod: expected.rateLimitPeriod ?? '',
    url: change.url ?? '',
    rateLimit: String(change.rateLimit ?? ''),
    rateLimitPeriod: change.rateLimitPeriod ?? '',
  });
  const outcome = reply.outcome(['changed', 'differs', 'unknown']);
  if (outcome === 'unknown') return null;
  const nowMs = reply.integer();
  return { outcome, webhook: parseWebhookRecord(reply.list(), nowMs) };
}
