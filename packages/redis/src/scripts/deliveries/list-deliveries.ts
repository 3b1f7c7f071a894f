import type { ListedDelivery, Page, WebhookRef } from '@latchhook/core';
import { defineScript } from '../../define-script.ts';
import { parseListedDelivery } from '../../delivery-record.ts';
import type { CallScript } from '../../script-caller.ts';
import { type WebhookKeys, webhookName } from '../../webhook-keyspace.ts';
import { KEY_OF } from '../webhooks/fragments/key-of.ts';
import { COUNTED_LINES } from './fragments/counted-lines.ts';
import { FORGET } from './fragments/forget.ts';
import { ATTEMPTS_OF } from './fragments/log-attempt.ts';
import { READ_DELIVERY } from './fragments/read-delivery.ts';

/** However much is forgotten in the middle of a list, a page does not take long. */
const MAX_ROUNDS = 3;

/**
 * Lists deliveries of a webhook with their attempts, newest first. `after` is empty for those from the newest. What
 * receivers answered is not read: Redis does nothing else meanwhile.
 *
 * Outcomes: `listed`, with the records; `unknown`.
 *
 * What is forgotten is taken out as it is met, and the next ones are taken for it: a short page is the last.
 */
const script = defineScript({
  name: 'list-deliveries',
  keys: ['root'],
  args: { webhook: 'text', after: 'text', limit: 'number' },
  lua: `
${KEY_OF}
${COUNTED_LINES}
${FORGET}
${ATTEMPTS_OF}
${READ_DELIVERY}
if redis.call('EXISTS', keyOf('webhook', webhook)) == 0 then return answer('unknown') end
dropForgotten(webhook, 'log')
local from, logKey, records = after == '' and '+inf' or '(' .. after, keyOf('log', webhook), {}
for _ = 1, ${MAX_ROUNDS} do
  local ids = redis.call('ZREVRANGEBYSCORE', logKey, from, '-inf', 'LIMIT', #records, limit - #records)
  for _, id in ipairs(ids) do
    local record = readDelivery(webhook, id)
    if record then records[#records + 1] = record else forget(webhook, id) end
  end
  if #ids == 0 or #records == limit then break end
end
return answer('listed', records)
`,
});

export async function listDeliveries(
  call: CallScript,
  keys: WebhookKeys,
  ref: WebhookRef,
  { limit, after }: Page,
): Promise<readonly ListedDelivery[] | null> {
  const args = { webhook: webhookName(ref), after: String(after ?? ''), limit };
  const reply = await call(script, keys, args);
  if (reply.outcome(['listed', 'unknown']) === 'unknown') return null;
  return Array.from(reply.list().lists(), (record) => parseListedDelivery(record, ref));
}
