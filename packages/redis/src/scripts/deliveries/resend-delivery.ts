import type { DeliveryRef, ResendOutcome } from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import type { CallScript } from '../../script-caller.ts';
import { type WebhookKeys, webhookName } from '../../webhook-keyspace.ts';
import { KEY_OF } from '../webhooks/fragments/key-of.ts';
import { BEGIN_ANEW } from './fragments/begin-anew.ts';
import { DROP_FROM_LINES } from './fragments/drop-from-lines.ts';
import { OPEN_LINE } from './fragments/open-line.ts';

/**
 * Puts one delivery back to its beginning, unless it is on its way already.
 *
 * Outcomes: `scheduled`, with the run and the delay; `under_way`; `held`; `unknown`.
 */
const script = defineScript({
  name: 'resend-delivery',
  keys: ['root'],
  args: { webhook: 'text', deliveryId: 'text' },
  uses: [KEY_OF, OPEN_LINE, BEGIN_ANEW, DROP_FROM_LINES],
  lua: `
local line = openLine(webhook)
local delivery = redis.call('HMGET', keyOf('delivery', webhook .. '/' .. deliveryId),
  'state', 'run', 'sequence', 'expiresAtMs', 'notBeforeMs')
local state = delivery[1]
if not line or not state or now >= tonumber(delivery[4]) then return answer('unknown') end
local isNext = state == 'waiting' and tonumber(delivery[5] or 0) <= now
if state == 'queued' or state == 'sending' or isNext then return answer('under_way') end
if state == 'held' and line.isDisabled then return answer('held') end
dropFromLines(line)
local scheduled = restart(line, deliveryId, delivery)
if not scheduled then return answer('held') end
return answer('scheduled', scheduled[2], scheduled[3])
`,
});

export async function resendDelivery(
  call: CallScript,
  keys: WebhookKeys,
  { accountId, webhookId, deliveryId }: DeliveryRef,
): Promise<ResendOutcome> {
  const webhook = webhookName({ accountId, webhookId });
  const reply = await call(script, keys, { webhook, deliveryId });
  const outcome = reply.outcome(['scheduled', 'under_way', 'held', 'unknown']);
  if (outcome !== 'scheduled') return { outcome };
  const run = reply.integer();
  const delayMs = reply.integer();
  return { outcome, scheduled: { accountId, webhookId, deliveryId, run, delayMs } };
}
