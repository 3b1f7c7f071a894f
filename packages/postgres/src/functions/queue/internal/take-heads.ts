import { RATE_LIMIT_PERIOD_MS } from '@latchhook/core/storage';
import type { SqlDefinition } from '../../../define-function.ts';
import { defineStep } from '../../internal/define-step.ts';
import { joinByKey } from './join-by-key.ts';
import { ADD_TO_RATE_WINDOW, DECLARE_RATE_WINDOW, READ_RATE_WINDOW } from './rate-window.ts';

/**
 * How many attempts of one webhook a claim takes at most, so that a burst to one webhook does not fill a claim while
 * other webhooks wait. A worker claims again while it has capacity.
 */
const QUANTUM = 16;

/** If an attempt of the account is just being completed, the queue is checked again after this time, ms. */
const RECHECK_MS = 10;

/**
 * `take_heads(p_queue, p_has_arrived, p_capacity, p_max_in_flight, p_account_capacity, p_account_leases,
 * p_rate_margin_ms, p_lease_ms, p_now_ms)`: takes up to `p_capacity` deliveries of a queue that may start next, and
 * returns their messages. Sets when the queue is due again. The caller has locked the account.
 *
 * Returned deliveries, which were claimed and not started, come first; their retry times are negative. Then due retries
 * and fresh deliveries, which were never claimed before, alternate.
 */
export const takeHeads: SqlDefinition = defineStep({
  name: 'take_heads',
  params: `p_queue bigint, p_has_arrived boolean, p_capacity bigint, p_max_in_flight bigint, p_account_capacity bigint,
  p_account_leases bigint, p_rate_margin_ms bigint, p_lease_ms bigint, p_now_ms bigint`,
  returns: 'bigint[]',
  declare: `
  q queues;
  v_rate_limit bigint;
  v_period_ms bigint;
  v_is_disabled boolean;
  ${DECLARE_RATE_WINDOW.trim()}
  v_leases bigint;
  v_webhook_capacity bigint;
  v_permits bigint;
  v_limit bigint;
  v_retries bigint[] := '{}';
  v_retry_due bigint[] := '{}';
  v_fresh bigint[];
  v_next_retry integer := 1;
  v_next_fresh integer := 1;
  v_taken bigint[] := '{}';
  v_capped_since_ms bigint;
`,
  body: `
  SELECT * INTO q FROM queues WHERE queue = p_queue;
  -- Before the account was locked, the queue may have been removed, or taken by another claim.
  IF NOT FOUND OR NOT p_has_arrived AND coalesce(q.due_at_ms > p_now_ms, true) THEN RETURN '{}'; END IF;
  SELECT rate_limit,
         CASE rate_limit_period WHEN 'minute' THEN ${RATE_LIMIT_PERIOD_MS.minute} ELSE ${RATE_LIMIT_PERIOD_MS.second} END,
         disabled_at_ms IS NOT NULL
    INTO v_rate_limit, v_period_ms, v_is_disabled FROM webhooks WHERE sequence = p_queue;
  IF v_is_disabled OR p_now_ms < q.backoff_until_ms THEN
    UPDATE queues SET due_at_ms = CASE WHEN NOT v_is_disabled THEN q.backoff_until_ms END, awaits_arrival = false
     WHERE queue = p_queue;
    RETURN '{}';
  END IF;

  ${READ_RATE_WINDOW.trim()}
  SELECT count(*) INTO v_leases FROM leases WHERE account_id = q.account_id AND queue = p_queue;
  v_webhook_capacity := p_max_in_flight - v_leases;
  v_permits := least(p_account_capacity, v_webhook_capacity);
  v_limit := greatest(0, least(p_capacity, ${QUANTUM}, v_permits, v_free_starts));

  -- Reads one delivery more than may be taken, to see whether another one could start.
  IF q.next_retry_at_ms <= p_now_ms THEN
    SELECT coalesce(array_agg(message ORDER BY due_at_ms, message), '{}'),
           coalesce(array_agg(due_at_ms ORDER BY due_at_ms, message), '{}')
      INTO v_retries, v_retry_due FROM (
        SELECT r.message, r.due_at_ms FROM retries r
         ${joinByKey('messages', 'm', 'm.message = r.message')}
         WHERE r.queue = p_queue AND r.due_at_ms <= p_now_ms AND m.expires_at_ms > p_now_ms
         ORDER BY r.due_at_ms, r.message LIMIT v_limit + 1) head;
  END IF;
  v_fresh := ARRAY(
    SELECT d.message FROM deliveries d
     ${joinByKey('messages', 'm', 'm.message = d.message')}
     WHERE d.queue = p_queue AND d.message > q.last_taken AND m.expires_at_ms > p_now_ms
     ORDER BY d.message LIMIT v_limit + 1);
  WHILE cardinality(v_taken) < v_limit LOOP
    IF v_next_retry <= cardinality(v_retries)
      AND (v_retry_due[v_next_retry] < 0 OR v_next_fresh > cardinality(v_fresh) OR NOT q.was_retry_last) THEN
      IF v_retry_due[v_next_retry] >= 0 THEN q.was_retry_last := true; END IF;
      v_taken := v_taken || v_retries[v_next_retry];
      v_next_retry := v_next_retry + 1;
    ELSE
      EXIT WHEN v_next_fresh > cardinality(v_fresh);
      q.was_retry_last := false;
      q.last_taken := v_fresh[v_next_fresh];
      v_taken := v_taken || v_fresh[v_next_fresh];
      v_next_fresh := v_next_fresh + 1;
    END IF;
  END LOOP;
  IF v_next_retry > 1 THEN
    DELETE FROM retries r
     USING unnest(v_retry_due[:v_next_retry - 1], v_retries[:v_next_retry - 1]) AS taken (due_at_ms, message)
     WHERE r.queue = p_queue AND r.due_at_ms = taken.due_at_ms AND r.message = taken.message;
  END IF;
  IF q.next_retry_at_ms <= p_now_ms THEN
    q.next_retry_at_ms := (
      SELECT r.due_at_ms FROM retries r
       ${joinByKey('messages', 'm', 'm.message = r.message')}
       WHERE r.queue = p_queue AND m.expires_at_ms > p_now_ms ORDER BY r.due_at_ms LIMIT 1);
  END IF;
  IF v_taken <> '{}' THEN
    q.leases_end_at_ms := least(q.leases_end_at_ms, p_now_ms + p_lease_ms);
    ${ADD_TO_RATE_WINDOW.trim()}
  END IF;

  -- Sets when the queue is due again.
  q.awaits_arrival := v_next_fresh > cardinality(v_fresh);
  q.capped_by := NULL;
  -- A queue that has started nothing keeps its rank among the capped ones.
  v_capped_since_ms := CASE WHEN v_taken = '{}' THEN least(q.capped_since_ms, q.due_at_ms, p_now_ms) ELSE p_now_ms END;
  q.capped_since_ms := NULL;
  IF q.awaits_arrival AND v_next_retry > cardinality(v_retries) THEN
    -- Nothing is left but retries that are not due.
    q.due_at_ms := q.next_retry_at_ms;
  ELSIF cardinality(v_taken) >= v_free_starts THEN
    -- The rate limit is reached until the first entry leaves the window.
    q.due_at_ms := q.starts_at_ms[1] + v_period_ms;
  ELSIF cardinality(v_taken) >= v_permits AND NOT try_lock_capping(q.account_id) THEN
    -- An attempt of the account is just being completed, which may free a permit.
    q.capped_since_ms := v_capped_since_ms;
    q.due_at_ms := p_now_ms + ${RECHECK_MS};
  ELSIF cardinality(v_taken) >= v_permits
    AND v_leases = (SELECT count(*) FROM leases WHERE account_id = q.account_id AND queue = p_queue)
    AND p_account_leases = (SELECT count(*) FROM leases WHERE account_id = q.account_id) THEN
    -- No attempt has ended since the permits were counted: capped until one ends, at the latest when its lease ends.
    q.capped_by := CASE WHEN p_account_capacity < v_webhook_capacity THEN 'account' ELSE 'webhook' END;
    q.capped_since_ms := v_capped_since_ms;
    q.due_at_ms := p_now_ms + p_lease_ms;
  ELSE
    -- Only this claim's share is used up, or a permit has become free meanwhile.
    q.due_at_ms := p_now_ms;
  END IF;
  UPDATE queues
     SET last_taken = q.last_taken, awaits_arrival = q.awaits_arrival, was_retry_last = q.was_retry_last,
         due_at_ms = q.due_at_ms, next_retry_at_ms = q.next_retry_at_ms, leases_end_at_ms = q.leases_end_at_ms,
         capped_by = q.capped_by, capped_since_ms = q.capped_since_ms, starts_at_ms = q.starts_at_ms, starts = q.starts
   WHERE queue = p_queue;
  RETURN v_taken;
`,
});
