import type { DeliveryRef, ResendOutcome } from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import { parseScheduled } from '../../delivery-record.ts';
import type { CallScript } from '../../script-caller.ts';
import { type WebhookKeys, webhookName } from '../../webhook-keyspace.ts';
import { DROP_FROM_LINES } from './fragments/drop-from-lines.ts';
import { KNOWN_DELIVERY } from './fragments/known-delivery.ts';
import { OPEN_LINE } from './fragments/open-line.ts';
import { RESTART } from './fragments/restart.ts';

/**
 * Puts one delivery back to its beginning, unless it is on its way already.
 *
 * Outcomes: `scheduled`, with the record `SCHEDULED`; `under_way`; `held`; `unknown`.
 */
const script = defineScript({
  name: 'resend-delivery',
  keys: ['root'],
  args: { webhook: 'text', deliveryId: 'text' },
  uses: [OPEN_LINE, KNOWN_DELIVERY, RESTART, DROP_FROM_LINES],
  lua: `
local line, delivery = openLine(webhook), knownDelivery(webhook, deliveryId)
if not line or not delivery then return answer('unknown') end
local state = delivery.state
local isNext = state == 'waiting' and tonumber(delivery.notBeforeMs or 0) <= now
if state == 'queued' or state == 'sending' or isNext then return answer('under_way') end
if state == 'held' and line.isDisabled then return answer('held') end
dropFromLines(line)
local scheduled = restart(line, delivery)
if not scheduled then return answer('held') end
return answer('scheduled', scheduled)
`,
});

export async function resendDelivery(
  call: CallScript,
  keys: WebhookKeys,
  ref: DeliveryRef,
): Promise<ResendOutcome> {
  const args = { webhook: webhookName(ref), deliveryId: ref.deliveryId };
  const reply = await call(script, keys, args);
  const outcome = reply.outcome(['scheduled', 'under_way', 'held', 'unknown']);
  if (outcome !== 'scheduled') return { outcome };
  return { outcome, scheduled: parseScheduled(reply.list(), ref) };
}
