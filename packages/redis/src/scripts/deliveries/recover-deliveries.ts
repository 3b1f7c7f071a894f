import type { ScheduledBatch, WebhookRef } from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import { parseScheduledBatch } from '../../delivery-record.ts';
import type { CallScript } from '../../script-caller.ts';
import { type WebhookKeys, webhookName } from '../../webhook-keyspace.ts';
import { KEY_OF } from '../webhooks/fragments/key-of.ts';
import { DROP_FROM_LINES } from './fragments/drop-from-lines.ts';
import { DROP_FORGOTTEN } from './fragments/forget.ts';
import { KNOWN_DELIVERY } from './fragments/known-delivery.ts';
import { OPEN_LINE } from './fragments/open-line.ts';
import { RESTART } from './fragments/restart.ts';

/**
 * Puts dead deliveries back to their beginning that were created since, oldest first.
 *
 * Outcomes: `scheduled`, with whether there are more (1), how many this call was about, and those of them that are
 * to start (id, run, delay); `unknown`.
 */
const script = defineScript({
  name: 'recover-deliveries',
  keys: ['root'],
  args: { webhook: 'text', sinceMs: 'number', limit: 'number' },
  uses: [KEY_OF, OPEN_LINE, KNOWN_DELIVERY, RESTART, DROP_FORGOTTEN, DROP_FROM_LINES],
  lua: `
local line = openLine(webhook)
if not line then return answer('unknown') end
dropForgotten(webhook, 'log')
dropFromLines(line)
local deadKey, scheduled, count = keyOf('dead', webhook), {}, 0
local members = redis.call('ZRANGEBYSCORE', deadKey, sinceMs, '+inf', 'LIMIT', 0, limit)
for _, member in ipairs(members) do
  -- Behind the sequence that breaks ties: see deadMember.
  local delivery = knownDelivery(webhook, member:sub(17))
  if delivery and delivery.state == 'dead' then
    scheduled[#scheduled + 1] = restart(line, delivery)
    count = count + 1
  end
  redis.call('ZREM', deadKey, member)
end
local left = redis.call('ZCOUNT', deadKey, sinceMs, '+inf')
return answer('scheduled', left > 0 and 1 or 0, count, scheduled)
`,
});

export async function recoverDeliveries(
  call: CallScript,
  keys: WebhookKeys,
  ref: WebhookRef,
  request: { readonly sinceMs: number; readonly limit: number },
): Promise<ScheduledBatch | null> {
  const reply = await call(script, keys, { webhook: webhookName(ref), ...request });
  return parseScheduledBatch(reply, ref);
}
