import { defineScript } from '../../define-script.ts';
import type { CallScript } from '../../script-caller.ts';
import type { WebhookKeys } from '../../webhook-keyspace.ts';
import { KEY_OF } from '../webhooks/fragments/key-of.ts';
import { DROP_FORGOTTEN } from './fragments/forget.ts';
import { SETTLE_ACTIVE } from './fragments/settle-active.ts';

/**
 * How many deliveries are queued, sending or waiting, over all webhooks.
 *
 * Outcomes: `counted`, with the number.
 *
 * A few commands for each webhook with pending deliveries, however much that is. A counter would be one,
 * but every transition would have to move it, and nothing would put it right again.
 */
const script = defineScript({
  name: 'count-pending',
  keys: ['root'],
  args: {},
  uses: [KEY_OF, SETTLE_ACTIVE, DROP_FORGOTTEN],
  lua: `
local count = 0
for _, webhook in ipairs(redis.call('ZRANGE', rootKey .. ':active', 0, -1)) do
  dropForgotten(webhook, 'log')
  local pending = redis.call('ZCARD', keyOf('due', webhook))
    + redis.call('ZCARD', keyOf('inFlight', webhook))
  if pending == 0 then settleActive(webhook, now) end
  count = count + pending
end
return answer('counted', count)
`,
});

export async function countPending(call: CallScript, keys: WebhookKeys): Promise<number> {
  const reply = await call(script, keys, {});
  reply.outcome(['counted']);
  return reply.integer();
}
