import type { CallDeadline, ScheduledDelivery } from '@latchhook/core';
import { defineScript } from '../../define-script.ts';
import type { CallScript } from '../../script-caller.ts';
import { deliveryRef, type WebhookKeys } from '../../webhook-keyspace.ts';
import { KEY_OF } from '../webhooks/fragments/key-of.ts';
import { COUNTED_LINES } from './fragments/counted-lines.ts';
import { FORGET } from './fragments/forget.ts';
import { SETTLE_ACTIVE } from './fragments/settle-active.ts';

/**
 * So often it is asked, at most: for as many others as were forgotten of what it found, and of webhooks for the next ones
 * behind those that have nothing late. By two hundred at a time, ten thousand webhooks are looked at in a sweep.
 */
const MAX_ASKED = 50;

/**
 * Lists deliveries of all webhooks that should have started long ago, longest first. Those whose lease is
 * over count from its end.
 *
 * Outcomes: `listed`, with the deliveries (webhook, id, run), and 1 where to ask again may find more, else 0: some
 * were found and forgotten, or webhooks were put on that have nothing late, and others are behind them.
 *
 * The webhooks come in the order of the times that `active` has them by, which are never too late: once there
 * are as many deliveries as were asked for, and the next webhook is later than all of them, none is missed. Once there
 * are twice as many, what is later than the last that would be listed is not read any more: where all webhooks have a
 * backlog, little is read of most, and the hashes of those alone that are listed.
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
  return overdue, #webhooks == 2 * limit and #overdue < limit
end

local listed = {}
local overdue, hasMore = longestOverdue()
for _, delivery in ipairs(overdue) do
  local deliveryKey = keyOf('delivery', delivery.webhook .. '/' .. delivery.id)
  local run, expiresAtMs = unpack(redis.call('HMGET', deliveryKey, 'run', 'expiresAtMs'))
  if expiresAtMs and now < tonumber(expiresAtMs) then
    listed[#listed + 1] = {delivery.webhook, delivery.id, run}
  else
    forget(delivery.webhook, delivery.id)
    hasMore = true
  end
end
return answer('listed', listed, hasMore and 1 or 0)
`,
});

export async function listOverdue(
  call: CallScript,
  keys: WebhookKeys,
  request: { readonly graceMs: number; readonly limit: number },
  deadline: CallDeadline,
): Promise<readonly ScheduledDelivery[]> {
  for (let asked = 1; ; asked += 1) {
    const reply = await call(script, keys, request, { deadline });
    reply.outcome(['listed']);
    const listed = Array.from(reply.list().lists(), (delivery) => ({
      ...deliveryRef(delivery.text(), delivery.text()),
      run: delivery.integer(),
      delayMs: 0,
    }));
    if (reply.integer() === 0 || asked === MAX_ASKED) return listed;
  }
}
