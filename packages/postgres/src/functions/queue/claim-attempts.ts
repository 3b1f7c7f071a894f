import type { Claim, ClaimRequest } from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';
import { deleteExpired } from '../internal/delete-expired.ts';
import { joinByKey } from './internal/join-by-key.ts';
import { isTimeUnrecorded } from './internal/record-time.ts';
import { parseClaim } from './parse-claim.ts';

/**
 * Leases the attempts that may start now. Outcome: `claimed`, with the current time, the time until the next claim (ms;
 * `null`: nothing is scheduled or leased), the deliveries that failed (`poisoned`, `expired`), and the URL, secrets and
 * attempts of each webhook.
 *
 * The queues that have been due longest come first. Queues of an account that another transaction has locked are
 * skipped: this claim may hold locks of other accounts, so waiting could deadlock. While skipped queues are due, the
 * time until the next claim is 0.
 *
 * Each account is locked before its queues are read in a separate statement, which sees everything that was committed
 * before the lock was granted.
 */
export const claimAttemptsFunction = defineFunction({
  name: 'claim_attempts',
  byIndexes: true,
  args: {
    limit: 'bigint',
    leaseMs: 'bigint',
    rateMarginMs: 'bigint',
    maxInFlightPerWebhook: 'bigint',
    maxInFlightPerAccount: 'bigint',
    maxStalledAttempts: 'bigint',
  },
  declare: `
r record;
v_taken bigint[];
v_outbox json := '{"more": false, "expired": []}';
-- The queues with new deliveries, and the queues that this claim has visited.
v_arrived bigint[];
v_visited bigint[] := '{}';
v_poisoned json[];
v_capacity bigint := p_limit;
-- For each claimed attempt: its queue and message.
v_queues bigint[] := '{}';
v_messages bigint[] := '{}';
v_claimed json;
v_end_ms bigint;
`,
  body: `
now_ms := now_unless_expired(p_command_expires_at_ms, p_clock_ms);
IF EXISTS (SELECT FROM outbox) THEN
  v_outbox := take_outbox(now_ms);
  -- Read again because publishing may have waited.
  now_ms := now_unless_expired(p_command_expires_at_ms, p_clock_ms);
END IF;
v_arrived := take_arrivals(now_ms);
v_poisoned := recover_stalled(p_max_stalled_attempts, now_ms);
FOR r IN
  -- More queues than can start an attempt, as some are of locked accounts, disabled or capped.
  (SELECT queue, account_id FROM queues WHERE due_at_ms <= now_ms ORDER BY due_at_ms LIMIT 4 * p_limit + 100)
   UNION ALL SELECT queue, account_id FROM queues WHERE queue = ANY (v_arrived)
LOOP
  EXIT WHEN v_capacity = 0;
  CONTINUE WHEN r.queue = ANY (v_visited) OR NOT try_lock_account(r.account_id);
  v_visited := v_visited || r.queue;
  v_taken := take_heads(r.queue, v_capacity, p_max_in_flight_per_webhook, p_max_in_flight_per_account,
    p_rate_margin_ms, p_lease_ms, now_ms);
  v_capacity := v_capacity - cardinality(v_taken);
  v_queues := v_queues || array_fill(r.queue, ARRAY[cardinality(v_taken)]);
  v_messages := v_messages || v_taken;
END LOOP;
-- Arrived queues for which this claim had no capacity left are due for the next one.
IF NOT v_arrived <@ v_visited THEN
  UPDATE queues SET due_at_ms = least(due_at_ms, now_ms)
   WHERE queue = ANY (v_arrived) AND NOT queue = ANY (v_visited);
END IF;

IF v_messages = '{}' THEN
  -- An idle claim also deletes expired rows. Usually publishing does so, but nothing may be published any more.
  IF (SELECT expires_at_ms FROM messages ORDER BY message LIMIT 1) <= now_ms THEN
    PERFORM forget_expired(now_ms);
  END IF;
  ${deleteExpired('idempotency_keys', 'expires_at_ms')}
ELSE
  SELECT json_agg(json_build_object('accountId', w.account_id, 'webhookId', w.webhook_id, 'url', w.url,
           'secrets', signing_secrets(w.secrets, now_ms), 'attempts', claimed.attempts) ORDER BY claimed.index)
    INTO v_claimed
    FROM (
      SELECT d.queue, min(index) AS index, json_agg(json_build_object('deliveryId', m.message_id, 'sequence', m.message,
               'attempt', d.attempt + 1, 'failures', d.failures, 'notCounted', d.not_counted,
               'createdAtMs', m.created_at_ms, 'expiresAtMs', m.expires_at_ms, 'event', m.event, 'body', m.body)
               ORDER BY index) AS attempts
        FROM unnest(v_queues, v_messages) WITH ORDINALITY AS taken (queue, message, index)
       ${joinByKey('deliveries', 'd', 'd.queue = taken.queue AND d.message = taken.message')}
       ${joinByKey('messages', 'm', 'm.message = taken.message')}
       GROUP BY d.queue
    ) claimed
    ${joinByKey('webhooks', 'w', 'w.queue = claimed.queue')};
END IF;
-- The time is read again because record_time compares it with the time of the last recorded claim, which may have begun
-- after this one: the time at which this claim began would look as if the clock had been set back. Reading it again
-- also rolls back a claim that has taken too long: its caller no longer waits, so nobody would send its attempts.
v_end_ms := now_unless_expired(p_command_expires_at_ms, p_clock_ms);
IF ${isTimeUnrecorded('v_end_ms')} THEN
  -- Locks queues of accounts that this claim has not locked, so it comes last: after it, the claim waits for no lock.
  PERFORM record_time(p_lease_ms, v_end_ms);
END IF;
RETURN json_build_object('outcome', 'claimed', 'nowMs', now_ms,
  'poisoned', to_json(v_poisoned), 'expired', v_outbox -> 'expired', 'webhooks', coalesce(v_claimed, '[]'),
  'nextInMs', CASE WHEN (v_outbox ->> 'more')::boolean OR EXISTS (SELECT FROM arrivals) THEN 0 ELSE (
    SELECT greatest(0, next.at_ms - now_ms) FROM (
      SELECT least(
        (SELECT due_at_ms FROM queues WHERE due_at_ms IS NOT NULL ORDER BY due_at_ms LIMIT 1),
        (SELECT ends_at_ms FROM leases ORDER BY ends_at_ms LIMIT 1)
      ) AS at_ms) next WHERE next.at_ms IS NOT NULL) END);
`,
});

export async function claimAttempts(call: CallFunction, request: ClaimRequest): Promise<Claim> {
  return parseClaim(await call(claimAttemptsFunction, request));
}
