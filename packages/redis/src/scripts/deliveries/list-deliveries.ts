import type { CallDeadline, ListedDelivery, Page, WebhookRef } from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import { parseListedDelivery } from '../../delivery-record.ts';
import { fillPage, MAX_LOOKED_AT } from '../../fill-page.ts';
import type { CallScript } from '../../script-caller.ts';
import { type WebhookKeys, webhookName } from '../../webhook-keyspace.ts';
import { KEY_OF } from '../webhooks/fragments/key-of.ts';
import { DROP_FORGOTTEN, FORGET } from './fragments/forget.ts';
import { READ_DELIVERY } from './fragments/read-delivery.ts';

/**
 * Lists deliveries of a webhook with their attempts, newest first. `after` is empty for those from the newest. What
 * receivers answered is not read: Redis does nothing else meanwhile.
 *
 * Outcomes: `listed`, with the records, and 1 where it stopped before there were `limit` or the list was over, else 0;
 * `unknown`.
 *
 * What is forgotten is taken out as it is met, and the next ones are taken for it. It may lie in the middle, before
 * others that are kept for longer: the retention was shortened in between.
 */
const script = defineScript({
  name: 'list-deliveries',
  keys: ['root'],
  args: { webhook: 'text', after: 'text', limit: 'number' },
  uses: [KEY_OF, READ_DELIVERY, FORGET, DROP_FORGOTTEN],
  lua: `
if redis.call('EXISTS', keyOf('webhook', webhook)) == 0 then return answer('unknown') end
dropForgotten(webhook, 'log')
local from, logKey, records = after == '' and '+inf' or '(' .. after, keyOf('log', webhook), {}
local looked, isOver = 0, false
while not isOver and #records < limit and looked < ${MAX_LOOKED_AT} do
  local ids = redis.call('ZREVRANGEBYSCORE', logKey, from, '-inf', 'LIMIT', #records, limit - #records)
  for _, id in ipairs(ids) do
    local record = readDelivery(webhook, id)
    if record then records[#records + 1] = record else forget(webhook, id) end
  end
  looked, isOver = looked + #ids, #ids == 0
end
return answer('listed', records, (isOver or #records == limit) and 0 or 1)
`,
});

export async function listDeliveries(
  call: CallScript,
  keys: WebhookKeys,
  ref: WebhookRef,
  page: Page,
  deadline: CallDeadline,
): Promise<readonly ListedDelivery[] | null> {
  const webhook = webhookName(ref);
  const sequenceOf = ({ sequence }: ListedDelivery) => sequence;
  return fillPage(page, sequenceOf, async ({ limit, after }) => {
    const args = { webhook, after: String(after ?? ''), limit };
    const reply = await call(script, keys, args, { deadline });
    if (reply.outcome(['listed', 'unknown']) === 'unknown') return null;
    const items = Array.from(reply.list().lists(), (record) => parseListedDelivery(record, ref));
    return { items, hasStopped: reply.integer() === 1 };
  });
}
