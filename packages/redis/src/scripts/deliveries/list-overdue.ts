import type { ScheduledDelivery } from '@latchhook/core';
import { defineScript } from '../../define-script.ts';
import type { CallScript } from '../../script-caller.ts';
import { deliveryRef, type WebhookKeys } from '../../webhook-keyspace.ts';
import { KEY_OF } from '../webhooks/fragments/key-of.ts';
import { COUNTED_LINES } from './fragments/counted-lines.ts';
import { FORGET } from './fragments/forget.ts';
import { SETTLE_ACTIVE } from './fragments/settle-active.ts';

/**
 * How often it is looked again, at most, where some of what was found is forgotten: that makes room for as many others.
 */
const MAX_LOOKS = 5;

/**
 * Lists deliveries of all webhooks that should have started long ago, longest first. Those whose lease is
 * over count from its end.
 *
 * Outcomes: `listed`, with the deliveries (webhook, id, run).
 *
 * The webhooks come in the order of the times that `active` has them by, which are never too late: once there
 * are as many deliveries as were asked for, and the next webhook is later than all of them, none is missed. Of each
 * webhook that much is read which is longer overdue than the last of those that would be listed without it: where all of
 * them have a backlog, that is little, and so the hashes of those alone are read that are listed.
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
local function longestOverdue()
  local overdue, beforeMs = {}, now - graceMs + 1

  local function cut()
    table.sort(overdue, function(a, b) return a.atMs < b.atMs end)
    for excess = #overdue, limit + 1, -1 do overdue[excess] = nil end
    if overdue[limit] then beforeMs = overdue[limit].atMs end
  end

  local function collect(webhook)
    for _, kind in ipairs({'due', 'flying'}) do
      local found = redis.call('ZRANGEBYSCORE', keyOf(kind, webhook), '-inf', '(' .. beforeMs,
        'WITHSCORES', 'LIMIT', 0, limit)
      for index = 1, #found, 2 do
        overdue[#overdue + 1] = {webhook = webhook, id = found[index], atMs = tonumber(found[index + 1])}
      end
    end
    settleActive(webhook)
    -- Not for each webhook: to put them in order is what takes longest.
    if #overdue >= 2 * limit then cut() end
  end

  local webhooks = redis.call('ZRANGEBYSCORE', rootKey .. ':active', '-inf', '(' .. beforeMs,
    'WITHSCORES', 'LIMIT', 0, limit)
  for index = 1, #webhooks, 2 do
    if tonumber(webhooks[index + 1]) >= beforeMs then break end
    collect(webhooks[index])
  end
  cut()
  return overdue
end

local listed
for _ = 1, ${MAX_LOOKS} do
  listed = {}
  local overdue = longestOverdue()
  for _, delivery in ipairs(overdue) do
    local deliveryKey = keyOf('delivery', delivery.webhook .. '/' .. delivery.id)
    local run, expiresAtMs = unpack(redis.call('HMGET', deliveryKey, 'run', 'expiresAtMs'))
    if run and now < tonumber(expiresAtMs) then
      listed[#listed + 1] = {delivery.webhook, delivery.id, run}
    else
      forget(delivery.webhook, delivery.id)
    end
  end
  if #listed == #overdue then break end
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
