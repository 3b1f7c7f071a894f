import type { ScheduledDelivery } from '@latchhook/core';
import { defineScript } from '../../define-script.ts';
import type { CallScript } from '../../script-caller.ts';
import { deliveryRef, type WebhookKeys } from '../../webhook-keyspace.ts';
import { KEY_OF } from '../webhooks/fragments/key-of.ts';
import { COUNTED_LINES } from './fragments/counted-lines.ts';
import { FORGET } from './fragments/forget.ts';
import { SETTLE_ACTIVE } from './fragments/settle-active.ts';

/**
 * Lists deliveries of all webhooks that should have started long ago, longest first. Those whose lease is
 * over count from its end.
 *
 * Outcomes: `listed`, with the deliveries (webhook, id, run).
 *
 * The webhooks come in the order of the times that `active` has them by, which are never too late: once there
 * are as many deliveries as were asked for, and the next webhook is later than all of them, none is missed.
 */
const script = defineScript({
  name: 'list-overdue',
  keys: ['root'],
  args: { graceMs: 'number', limit: 'number' },
  lua: `
${KEY_OF}
${COUNTED_LINES}
${FORGET}
${SETTLE_ACTIVE}
local latestMs, overdue = now - graceMs, {}

local function collect(webhook)
  for _, kind in ipairs({'due', 'flying'}) do
    local found = redis.call('ZRANGEBYSCORE', keyOf(kind, webhook), '-inf', latestMs,
      'WITHSCORES', 'LIMIT', 0, limit)
    for index = 1, #found, 2 do
      local id = found[index]
      if isKnown(webhook, id) then
        overdue[#overdue + 1] = {webhook = webhook, id = id, atMs = tonumber(found[index + 1])}
      else
        forget(webhook, id)
      end
    end
  end
  settleActive(webhook)
end

local webhooks = redis.call('ZRANGEBYSCORE', rootKey .. ':active', '-inf', latestMs,
  'WITHSCORES', 'LIMIT', 0, limit)
for index = 1, #webhooks, 2 do
  local last = overdue[limit]
  if last and last.atMs <= tonumber(webhooks[index + 1]) then break end
  collect(webhooks[index])
  table.sort(overdue, function(a, b) return a.atMs < b.atMs end)
  for excess = #overdue, limit + 1, -1 do overdue[excess] = nil end
end

local listed = {}
for index, delivery in ipairs(overdue) do
  local deliveryKey = keyOf('delivery', delivery.webhook .. '/' .. delivery.id)
  listed[index] = {delivery.webhook, delivery.id, redis.call('HGET', deliveryKey, 'run')}
end
return answer('listed', listed)
`,
});

export async function listOverdue(
  call: CallScript,
  keys: WebhookKeys,
  request: { readonly graceMs: number; readonly limit: number },
): Promise<readonly ScheduledDelivery[]> {
  const reply = await call(script, keys, request);
  reply.outcome(['listed']);
  return Array.from(reply.list().lists(), (delivery) => ({
    ...deliveryRef(delivery.text(), delivery.text()),
    run: delivery.integer(),
    delayMs: 0,
  }));
}
