import type { Claim, ClaimRequest } from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';
import { deleteExpired } from '../internal/delete-expired.ts';
import { joinByKey } from './internal/join-by-key.ts';
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
 * before the lock was granted. The time is also read after the lock.
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
v_outbox json;
v_arrived bigint[];
v_poisoned json[];
v_capacity bigint := p_limit;
v_visited bigint[] := '{}';
-- For each locked account: its id, its leases before this claim, and these with the attempts of this claim.
v_accounts text[] := '{}';
v_leases bigint[] := '{}';
v_in_flight bigint[] := '{}';
v_account_index integer;
-- For each claimed attempt: its account, queue and message.
v_account_ids text[] := '{}';
v_queues bigint[] := '{}';
v_messages bigint[] := '{}';
v_claimed json;
`,
  body: `
now_ms := assert_not_expired(p_command_expires_at_ms, p_clock_ms);
IF record_time(p_lease_ms, now_ms) THEN
  -- record_time has locked queues without locking their accounts. To avoid a deadlock, this call waits for no further
  -- lock and leaves the rest to the next claim.
  RETURN json_build_object('outcome', 'claimed', 'nowMs', now_ms, 'poisoned', json '[]', 'expired', json '[]',
    'webhooks', json '[]', 'nextInMs', 0);
END IF;
v_outbox := take_outbox(now_ms);
v_arrived := take_arrivals(now_ms);
v_poisoned := recover_stalled(p_max_stalled_attempts, now_ms);
FOR r IN
  -- More queues than can start an attempt, as some are of locked accounts, disabled or capped.
  SELECT queue, account_id, queue = ANY (v_arrived) AS has_arrived FROM (
    SELECT queue, account_id FROM queues WHERE due_at_ms <= now_ms ORDER BY due_at_ms LIMIT 4 * p_limit + 100
  ) due
  UNION ALL
  -- No queue may occur twice: the leases of this claim are not yet inserted, so they would not count as in flight.
  SELECT q.queue, q.account_id, true FROM unnest(v_arrived) AS arrived (queue)
   ${joinByKey('queues', 'q', 'q.queue = arrived.queue')}
   WHERE coalesce(q.due_at_ms > now_ms, true)
LOOP
  EXIT WHEN v_capacity = 0;
  v_visited := v_visited || r.queue;
  v_account_index := array_position(v_accounts, r.account_id);
  IF v_account_index IS NULL THEN
    CONTINUE WHEN NOT try_lock_account(r.account_id);
    now_ms := assert_not_expired(p_command_expires_at_ms, p_clock_ms);
    v_accounts := v_accounts || r.account_id;
    v_leases := v_leases || (SELECT count(*) FROM leases WHERE account_id = r.account_id);
    v_in_flight := v_in_flight || v_leases[cardinality(v_leases)];
    v_account_index := cardinality(v_accounts);
  END IF;
  v_taken := take_heads(r.queue, r.has_arrived, v_capacity, p_max_in_flight_per_webhook,
    p_max_in_flight_per_account - v_in_flight[v_account_index], v_leases[v_account_index],
    p_rate_margin_ms, p_lease_ms, now_ms);
  IF v_taken = '{}' THEN
    -- This queue has not used a permit, so a capped queue may use it.
    IF v_in_flight[v_account_index] < p_max_in_flight_per_account THEN PERFORM unblock_capped(r.account_id, 1); END IF;
    CONTINUE;
  END IF;
  v_capacity := v_capacity - cardinality(v_taken);
  v_in_flight[v_account_index] := v_in_flight[v_account_index] + cardinality(v_taken);
  v_account_ids := v_account_ids || array_fill(r.account_id, ARRAY[cardinality(v_taken)]);
  v_queues := v_queues || array_fill(r.queue, ARRAY[cardinality(v_taken)]);
  v_messages := v_messages || v_taken;
END LOOP;
-- Arrived queues for which this claim had no capacity left are due for the next one.
IF NOT v_arrived <@ v_visited THEN
  UPDATE queues SET due_at_ms = least(due_at_ms, now_ms), awaits_arrival = false
   WHERE queue = ANY (v_arrived) AND NOT queue = ANY (v_visited);
END IF;

IF v_messages = '{}' THEN
  -- An idle claim also deletes expired rows. Usually publishing does so, but nothing may be published any more.
  IF (SELECT expires_at_ms FROM messages ORDER BY message LIMIT 1) <= now_ms THEN
    PERFORM forget_expired(now_ms);
  END IF;
  ${deleteExpired('idempotency_keys', 'expires_at_ms')}
END IF;

WITH taken AS MATERIALIZED (
  SELECT listed.place, listed.account_id, d.queue, d.message, d.attempt + 1 AS attempt, d.failures, d.not_counted,
         m.message_id, m.created_at_ms, m.expires_at_ms, m.event, m.body
    FROM unnest(v_account_ids, v_queues, v_messages) WITH ORDINALITY AS listed (account_id, queue, message, place)
   ${joinByKey('deliveries', 'd', 'd.queue = listed.queue AND d.message = listed.message')}
   ${joinByKey('messages', 'm', 'm.message = listed.message')}
), leased AS (
  INSERT INTO leases (account_id, queue, message, attempt, claimed_at_ms, lease_ms)
  SELECT account_id, queue, message, attempt, now_ms, p_lease_ms FROM taken
)
SELECT json_agg(json_build_object('accountId', w.account_id, 'webhookId', w.webhook_id, 'url', w.url,
         'secrets', signing_secrets(w.secrets, now_ms), 'attempts', claimed.attempts) ORDER BY claimed.place)
  INTO v_claimed
  FROM (
    SELECT queue, min(place) AS place, json_agg(json_build_object('deliveryId', message_id, 'sequence', message,
             'attempt', attempt, 'failures', failures, 'notCounted', not_counted, 'createdAtMs', created_at_ms,
             'expiresAtMs', expires_at_ms, 'event', event, 'body', body) ORDER BY place) AS attempts
      FROM taken GROUP BY queue
  ) claimed
  ${joinByKey('webhooks', 'w', 'w.sequence = claimed.queue')};
-- Rolls back a claim that has taken too long: its caller no longer waits, so nobody would send its attempts.
PERFORM assert_not_expired(p_command_expires_at_ms, p_clock_ms);
RETURN json_build_object('outcome', 'claimed', 'nowMs', now_ms,
  'poisoned', to_json(v_poisoned), 'expired', v_outbox -> 'expired', 'webhooks', coalesce(v_claimed, '[]'),
  'nextInMs', CASE WHEN (v_outbox ->> 'more')::boolean OR EXISTS (SELECT FROM arrivals) THEN 0 ELSE (
    SELECT greatest(0, next.at_ms - now_ms) FROM (
      SELECT least(
        (SELECT due_at_ms FROM queues WHERE due_at_ms IS NOT NULL ORDER BY due_at_ms LIMIT 1),
        (SELECT leases_end_at_ms FROM queues WHERE leases_end_at_ms IS NOT NULL ORDER BY leases_end_at_ms LIMIT 1)
      ) AS at_ms) next WHERE next.at_ms IS NOT NULL) END);
`,
});

export async function claimAttempts(call: CallFunction, request: ClaimRequest): Promise<Claim> {
  return parseClaim(await call(claimAttemptsFunction, request));
}
