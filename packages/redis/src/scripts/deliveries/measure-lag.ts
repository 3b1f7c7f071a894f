import { LEASE_SLACK_MS } from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import type { CallScript } from '../../script-caller.ts';
import type { WebhookKeys } from '../../webhook-keyspace.ts';
import { KEY_OF } from '../webhooks/fragments/key-of.ts';
import { DROP_FORGOTTEN } from './fragments/forget.ts';

/**
 * For how long the first of the late deliveries is late, over all webhooks. An attempt whose lease is over counts from
 * `LEASE_SLACK_MS` before its end.
 *
 * Outcomes: `measured`, with that time, 0 where none is late.
 *
 * Webhooks are visited in the order of their times in `active`, which are never too late: at the first one that is
 * later than the delivery found, the search ends. It settles no time in `active`: a sweep that allows a grace would
 * then find an attempt whose lease ends soon only after that grace.
 */
const script = defineScript({
  name: 'measure-lag',
  keys: ['root'],
  args: {},
  uses: [KEY_OF, DROP_FORGOTTEN],
  lua: `
local firstMs = now
local function visit(webhook, kind, earlierMs)
  dropForgotten(webhook, kind)
  local setMs = tonumber(redis.call('ZRANGE', keyOf(kind, webhook), 0, 0, 'WITHSCORES')[2] or now + 1)
  if setMs <= now then firstMs = math.min(firstMs, setMs - earlierMs) end
end

local webhooks = redis.call('ZRANGEBYSCORE', rootKey .. ':active', '-inf', '(' .. now, 'WITHSCORES')
for index = 1, #webhooks, 2 do
  if tonumber(webhooks[index + 1]) >= firstMs then break end
  visit(webhooks[index], 'due', 0)
  visit(webhooks[index], 'inFlight', ${LEASE_SLACK_MS})
end
return answer('measured', now - firstMs)
`,
});

export async function measureLag(call: CallScript, keys: WebhookKeys): Promise<number> {
  const reply = await call(script, keys, {});
  reply.outcome(['measured']);
  return reply.integer();
}
