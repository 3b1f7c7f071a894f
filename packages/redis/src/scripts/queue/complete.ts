import type { AttemptEnd, CompletedAttempt, CompleteLimits } from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import type { CallScript } from '../../script-caller.ts';
import { dueChannel, type WebhookKeys, webhookName } from '../../webhook-keyspace.ts';
import { DIGITS } from '../fragments/digits.ts';
import { EXTEND_TTL } from '../fragments/extend-ttl.ts';
import { ACCOUNT_OF } from '../webhooks/fragments/account-of.ts';
import { CHANGES } from '../webhooks/fragments/changes.ts';
import { KEY_OF } from '../webhooks/fragments/key-of.ts';
import { DELIVERY_TEXT, deliveredText, NO_REASON } from './fragments/delivery-text.ts';
import { END_FAILED } from './fragments/end-failed.ts';
import { EXTEND_TTL_BY_FIELD } from './fragments/extend-ttl-by-field.ts';
import { FREE_IN_FLIGHT } from './fragments/free-in-flight.ts';
import { BEFORE_ALL_TIMES } from './fragments/heads.ts';
import { LEASE_TEXT, leaseTextOf } from './fragments/lease-text.ts';
import { NOTIFY_WORKERS } from './fragments/notify-workers.ts';

/**
 * Completes attempts. `ends` is JSON: an array with the result of {@link serialiseEnd} for each attempt, by position:
 *
 * - 1 to 5: lease, webhook, id of the delivery, its expiry, kind: `delivered_first` for a first attempt that succeeded,
 *   else the kind of the outcome. `not_started` has no other values.
 * - 6: backoff of the webhook (ms)
 * - 7: line of the attempt, or for `delivered_first` the whole text of the delivery
 * - 8 to 10, unless the attempt succeeded: delay of the next attempt (ms), reason of the failure or empty, URL
 *
 * Outcome: `completed`, with one text for each attempt: `stale` (its lease had ended), `moved` (the webhook has another
 * URL now), the reason for which the attempt disabled its webhook (`gone`, `failing`), or empty.
 *
 * The lease is the fencing token: a worker whose lease has ended changes nothing. An attempt whose delivery has expired
 * changes nothing either. Leases are removed first: Redis allows that even when memory is full, and all writes after
 * that.
 */
const script = defineScript({
  name: 'queue/complete',
  keys: ['root'],
  args: {
    ends: 'text',
    disableAfterMs: 'number',
    channel: 'text',
  },
  uses: [
    KEY_OF,
    ACCOUNT_OF,
    DIGITS,
    CHANGES,
    EXTEND_TTL_BY_FIELD,
    EXTEND_TTL,
    LEASE_TEXT,
    DELIVERY_TEXT,
    FREE_IN_FLIGHT,
    END_FAILED,
    NOTIFY_WORKERS,
  ],
  lua: `
local leasesKey, dueKey = rootKey .. ':leases', rootKey .. ':due'
-- outcomes[index + 1] is the text for attempts[index].
local outcomes, leases, liveLeases, isSeen = {'completed'}, {}, {}, {}
local attempts = cjson.decode(ends)
-- The lease is the first value of an attempt. The assignment drops the others.
for index, attempt in ipairs(attempts) do leases[index] = unpack(attempt) end

-- Finds the live leases, and groups their attempts by webhook. A second end of the same lease is stale.
local indexesOf, webhooks, freedOfAccounts = {}, {}, {}
for index, score in ipairs(redis.call('ZMSCORE', leasesKey, unpack(leases))) do
  local isLeased = score and not isSeen[leases[index]]
  isSeen[leases[index]] = true
  outcomes[index + 1] = isLeased and '' or 'stale'
  if isLeased then
    liveLeases[#liveLeases + 1] = leases[index]
    local _, webhook = unpack(attempts[index])
    if not indexesOf[webhook] then
      indexesOf[webhook] = {}
      webhooks[#webhooks + 1] = webhook
    end
    table.insert(indexesOf[webhook], index)
  end
end
if #liveLeases == 0 then return outcomes end
redis.call('ZREM', leasesKey, unpack(liveLeases))
local isDue = false
local function clearFailingSince(state)
  if not state.failingSinceMs then return end
  redis.call('HDEL', keyOf('webhook', state.webhook), 'failingSinceMs')
  state.failingSinceMs = nil
end

for _, webhook in ipairs(webhooks) do
  local currentUrl, inFlight, isCapped, disabledAtMs, failingSinceMs, backoffUntilMs, deliveriesUntilMs = unpack(
    redis.call('HMGET', keyOf('webhook', webhook), 'url', 'inFlight', 'isCapped', 'disabledAtMs',
      'failingSinceMs', 'backoffUntilMs', 'deliveriesUntilMs'))
  local account = accountOf(webhook)
  local state = {webhook = webhook, isDisabled = disabledAtMs, failingSinceMs = failingSinceMs,
    backoffUntilMs = tonumber(backoffUntilMs or 0), dueAtMs = nil, lastExpiryMs = 0}
  -- For HSET of the deliveries (id, text, id, text ...) and of the webhook.
  local texts, changes = {}, {}
  -- A removed webhook has no fields, and its removal has already subtracted its attempts.
  if inFlight then
    local count = #indexesOf[webhook]
    freedOfAccounts[account] = (freedOfAccounts[account] or 0) + count
    isDue = freeInFlightOf(webhook, inFlight, isCapped, count, changes) or isDue
  end
  for _, index in ipairs(indexesOf[webhook]) do
    local lease, _, id, expiresAtMs, kind, backoffMs, line, delayMs, reason, url = unpack(attempts[index])
    local isMoved = url and url ~= currentUrl
    if isMoved then kind, delayMs, backoffMs = 'not_counted', 0, 0 end
    if not currentUrl or now >= expiresAtMs then
      outcomes[index + 1] = 'stale'
    elseif kind == 'not_started' then
      local _, _, _, sequence = parseLease(lease)
      redis.call('ZADD', keyOf('retries', webhook), digits(sequence - ${BEFORE_ALL_TIMES}), id)
      extendTtl(keyOf('retries', webhook), expiresAtMs)
      state.dueAtMs = now
    else
      if backoffMs > 0 and now + backoffMs > state.backoffUntilMs then
        state.backoffUntilMs = now + backoffMs
        change(changes, 'backoffUntilMs', digits(state.backoffUntilMs))
      end
      state.lastExpiryMs = math.max(state.lastExpiryMs, expiresAtMs)
      texts[#texts + 1] = id
      if kind == 'delivered_first' then
        -- The whole text of the delivery.
        texts[#texts + 1] = line
        clearFailingSince(state)
      else
        local _, _, attempt, sequence, _, createdAt = parseLease(lease)
        local storedText = attempt > 1 and redis.call('HGET', keyOf('deliveries', webhook), id)
        local delivery = storedText and parseDelivery(storedText) or newDelivery(sequence, createdAt, expiresAtMs)
        delivery.attempt, delivery.stalled, delivery.reason = attempt, 0, '${NO_REASON}'
        addAttempt(delivery, line)
        if kind == 'delivered' then
          delivery.state = 'delivered'
          clearFailingSince(state)
        else
          outcomes[index + 1] = endFailed(state, id, delivery, {kind = kind, delayMs = delayMs, reason = reason,
            disableAfterMs = disableAfterMs})
          if isMoved then outcomes[index + 1] = 'moved' end
        end
        texts[#texts + 1] = deliveryText(delivery)
      end
    end
  end
  if #texts > 0 then
    redis.call('HSET', keyOf('deliveries', webhook), unpack(texts))
    extendTtlByField(changes, 'deliveries', webhook, deliveriesUntilMs, state.lastExpiryMs)
  end
  saveChanges(webhook, changes)
  if state.isDisabled then
    redis.call('ZREM', dueKey, webhook)
    redis.call('ZREM', keyOf('capped', account), webhook)
  elseif state.dueAtMs then
    redis.call('ZADD', dueKey, 'LT', digits(state.dueAtMs), webhook)
    isDue = isDue or state.dueAtMs <= now
  end
end
isDue = freeInFlightOfAccounts(freedOfAccounts) or isDue
if isDue then notifyWorkers(channel) end
return outcomes
`,
});

export async function complete(
  call: CallScript,
  keys: WebhookKeys,
  ends: readonly AttemptEnd[],
  { disableAfterMs }: CompleteLimits,
): Promise<readonly CompletedAttempt[]> {
  const reply = await call(script, keys, {
    ends: JSON.stringify(ends.map(serialiseEnd)),
    disableAfterMs,
    channel: dueChannel(keys),
  });
  reply.expectOutcome('completed');
  return Array.from(ends, () => {
    const text = reply.text();
    if (text === 'stale' || text === 'moved') return { outcome: text } as const;
    return { outcome: 'completed', disabled: parseReason(text) } as const;
  });
}

function parseReason(text: string): 'gone' | 'failing' | null {
  return text === 'gone' || text === 'failing' ? text : null;
}

function serialiseEnd(end: AttemptEnd): readonly (string | number)[] {
  const { attempt, claimedAtMs, expiresAtMs, outcome } = end;
  const webhook = webhookName(end);
  const common = [leaseTextOf(webhook, end), webhook, end.deliveryId, expiresAtMs] as const;
  if (!('result' in end)) return [...common, outcome.kind];
  const { status, durationMs, error } = end.result;
  const line = JSON.stringify([attempt, claimedAtMs, status, durationMs, error]);
  const backoffMs = Math.ceil(end.backoffMs);
  if (outcome.kind === 'delivered') {
    return attempt === 1
      ? [...common, 'delivered_first', backoffMs, deliveredText(end, line)]
      : [...common, 'delivered', backoffMs, line];
  }
  const delayMs = 'delayMs' in outcome ? Math.ceil(outcome.delayMs) : 0;
  const reason = outcome.kind === 'failed' ? outcome.reason : '';
  return [...common, outcome.kind, backoffMs, line, delayMs, reason, end.url];
}
