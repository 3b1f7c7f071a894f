import {
  type CallDeadline,
  LEASE_SLACK_MS,
  type OverdueRequest,
  type ScheduledDelivery,
} from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import type { CallScript } from '../../script-caller.ts';
import { deliveryRef, type WebhookKeys } from '../../webhook-keyspace.ts';
import { KEY_OF } from '../webhooks/fragments/key-of.ts';
import { FORGET } from './fragments/forget.ts';
import { PUT_OFF } from './fragments/put-off.ts';
import { SETTLE_ACTIVE } from './fragments/settle-active.ts';

/**
 * How many calls one sweep makes, at most: the next one replaces what turned out to be forgotten, or looks behind
 * webhooks that have nothing late. At two hundred webhooks a call, a sweep looks at ten thousand.
 */
const MAX_CALLS = 50;

/**
 * Returns deliveries of all webhooks that should have started long ago, longest first, and puts them off. Those whose
 * lease is over count from `LEASE_SLACK_MS` before its end.
 *
 * Outcomes: `found`, with the deliveries (webhook, id, run), and 1 where another call may find more, else 0. It may
 * where some of the deliveries found were forgotten; or where all webhooks it looked at had fewer than were asked for,
 * and those behind them may be late for longer. In the second case it returns nothing yet, unless `isLast` is 1.
 *
 * Finding and putting off is one script: otherwise all processes that sweep would find the same.
 *
 * Webhooks are visited in the order of their times in `active`, which are never too late: once there are as many
 * deliveries as were asked for, and the next webhook is later than all of them, none is missed. Once there are twice as
 * many, anything later than the last that would be returned is not read any more: where all webhooks have a backlog,
 * little of each is read, and only the hashes of deliveries that are returned.
 */
const script = defineScript({
  name: 'list-overdue',
  keys: ['root'],
  args: {
    graceMs: 'number',
    limit: 'number',
    webhookLimit: 'number',
    putOffMs: 'number',
    isLast: 'number',
  },
  uses: [KEY_OF, PUT_OFF, SETTLE_ACTIVE, FORGET],
  lua: `
local visited = {}
local function longestOverdue()
  local overdue, beforeMs = {}, now - graceMs + 1

  local function cut()
    table.sort(overdue, function(a, b) return a.atMs < b.atMs end)
    for excess = #overdue, limit + 1, -1 do overdue[excess] = nil end
    if overdue[limit] then beforeMs = overdue[limit].atMs end
  end

  local function add(webhook, kind, untilMs, earlierMs)
    local found = redis.call('ZRANGEBYSCORE', keyOf(kind, webhook), '-inf', '(' .. untilMs,
      'WITHSCORES', 'LIMIT', 0, limit)
    for index = 1, #found, 2 do
      local setMs = tonumber(found[index + 1])
      overdue[#overdue + 1] =
        {webhook = webhook, id = found[index], kind = kind, setMs = setMs, atMs = setMs - earlierMs}
    end
  end

  local function collect(webhook)
    add(webhook, 'due', beforeMs, 0)
    add(webhook, 'inFlight', math.min(beforeMs + ${LEASE_SLACK_MS}, now + 1), ${LEASE_SLACK_MS})
    visited[#visited + 1] = webhook
    -- Not for each webhook: to put them in order is what takes longest.
    if #overdue >= 2 * limit then cut() end
  end

  local webhooks = redis.call('ZRANGEBYSCORE', rootKey .. ':active', '-inf', '(' .. beforeMs,
    'WITHSCORES', 'LIMIT', 0, webhookLimit)
  for index = 1, #webhooks, 2 do
    if tonumber(webhooks[index + 1]) >= beforeMs then break end
    collect(webhooks[index])
  end
  cut()
  return overdue, #webhooks == 2 * webhookLimit and #overdue < limit
end

local returned = {}
local overdue, hasMore = longestOverdue()
if hasMore and isLast == 0 then overdue = {} end
for _, delivery in ipairs(overdue) do
  local deliveryKey = keyOf('delivery', delivery.webhook .. '/' .. delivery.id)
  local run, expiresAtMs = unpack(redis.call('HMGET', deliveryKey, 'run', 'expiresAtMs'))
  if expiresAtMs and now < tonumber(expiresAtMs) then
    putOff(delivery.webhook, delivery.id, delivery.kind, delivery.setMs, now + putOffMs)
    returned[#returned + 1] = {delivery.webhook, delivery.id, run}
  else
    forget(delivery.webhook, delivery.id)
    hasMore = true
  end
end
for _, webhook in ipairs(visited) do settleActive(webhook, now - graceMs) end
return answer('found', returned, hasMore and 1 or 0)
`,
});

export async function listOverdue(
  call: CallScript,
  keys: WebhookKeys,
  { limit, ...request }: OverdueRequest,
  deadline: CallDeadline,
): Promise<readonly ScheduledDelivery[]> {
  const returned: ScheduledDelivery[] = [];
  /** After a fault, answers what was returned so far: no other call finds it for a while. */
  const orNothingMore = (error: unknown): null => {
    if (returned.length === 0) throw error;
    return null;
  };
  for (let calls = 1; ; calls += 1) {
    const left = { limit: limit - returned.length, webhookLimit: limit };
    const args = { ...request, ...left, isLast: calls === MAX_CALLS ? 1 : 0 };
    const reply = await call(script, keys, args, { deadline }).catch(orNothingMore);
    if (reply === null) return returned;
    reply.outcome(['found']);
    for (const delivery of reply.list().lists()) {
      const ref = deliveryRef(delivery.text(), delivery.text());
      returned.push({ ...ref, run: delivery.integer(), delayMs: 0 });
    }
    if (reply.integer() === 0 || calls === MAX_CALLS) return returned;
  }
}
