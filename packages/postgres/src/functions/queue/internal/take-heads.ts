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
 * `take_heads(p_queue, p_capacity, p_max_in_flight_per_webhook, p_max_in_flight_per_account, p_rate_margin_ms,
 * p_lease_ms, p_now_ms)`: leases up to `p_capacity` deliveries of a queue that may start next, and returns their
 * messages. Sets when the queue is due again. The caller has locked the account.
 *
 * Returned deliveries, which were claimed and not started or whose lease has expired, come first; their retry times are
 * negative. Then due retries and fresh deliveries, which were never claimed before, alternate.
 */
export const takeHeads: SqlDefinition = defineStep({
  name: 'take_heads',
  params: `p_queue bigint, p_capacity bigint, p_max_in_flight_per_webhook bigint, p_max_in_flight_per_account bigint,
  p_rate_margin_ms bigint, p_lease_ms bigint, p_now_ms bigint`,
  returns: 'bigint[]',
  declare: `
  q queues;
  v_rate_limit bigint;
  v_period_ms bigint;
  v_is_disabled boolean;
  ${DECLARE_RATE_WINDOW.trim()}
  v_account_leases bigint;
  v_webhook_leases bigint;
  v_webhook_permits bigint;
  v_account_permits bigint;
  v_permits bigint;
  v_limit bigint := 0;
  v_retries bigint[];
  v_retry_times bigint[];
  v_fresh bigint[];
  v_next_retry integer := 1;
  v_next_fresh integer := 1;
  v_taken bigint[] := '{}';
  v_since_ms bigint;
`,
  body: `
  SELECT * INTO q FROM queues WHERE queue = p_queue;
  -- The queue may have been removed before the account was locked.
  IF NOT FOUND THEN RETURN '{}'; END IF;
  SELECT rate_limit,
         CASE rate_limit_period WHEN 'minute' THEN ${RATE_LIMIT_PERIOD_MS.minute} ELSE ${RATE_LIMIT_PERIOD_MS.second} END,
         disabled_at_ms IS NOT NULL
    INTO v_rate_limit, v_period_ms, v_is_disabled FROM webhooks WHERE queue = p_queue;
  ${READ_RATE_WINDOW.trim()}
  SELECT count(*), count(*) FILTER (WHERE queue = p_queue) INTO v_account_leases, v_webhook_leases
    FROM leases WHERE account_id = q.account_id;
  v_account_permits := p_max_in_flight_per_account - v_account_leases;
  v_webhook_permits := p_max_in_flight_per_webhook - v_webhook_leases;
  v_permits := least(v_account_permits, v_webhook_permits);
  IF NOT v_is_disabled AND p_now_ms >= q.backoff_until_ms THEN
    v_limit := greatest(0, least(p_capacity, ${QUANTUM}, v_permits, v_free_starts));
  END IF;

  -- Reads one retry and one fresh delivery more than may be taken, to see what is left.
  SELECT array_agg(message), array_agg(retry_at_ms) INTO v_retries, v_retry_times FROM (
    SELECT d.message, d.retry_at_ms FROM deliveries d
     ${joinByKey('messages', 'm', 'm.message = d.message')}
     WHERE d.queue = p_queue AND d.retry_at_ms IS NOT NULL AND m.expires_at_ms > p_now_ms
     ORDER BY d.retry_at_ms, d.message LIMIT v_limit + 1) head;
  v_fresh := ARRAY(
    SELECT d.message FROM deliveries d
     ${joinByKey('messages', 'm', 'm.message = d.message')}
     WHERE d.queue = p_queue AND d.message > q.last_taken AND m.expires_at_ms > p_now_ms
     ORDER BY d.message LIMIT v_limit + 1);
  WHILE cardinality(v_taken) < v_limit LOOP
    IF v_retry_times[v_next_retry] <= p_now_ms
      AND (v_retry_times[v_next_retry] < 0 OR NOT q.was_retry_last OR v_next_fresh > cardinality(v_fresh)) THEN
      -- Returned deliveries are not part of the alternation, and do not change it.
      q.was_retry_last := q.was_retry_last OR v_retry_times[v_next_retry] >= 0;
      v_taken := v_taken || v_retries[v_next_retry];
      UPDATE deliveries SET retry_at_ms = NULL WHERE queue = p_queue AND message = v_retries[v_next_retry];
      v_next_retry := v_next_retry + 1;
    ELSE
      EXIT WHEN v_next_fresh > cardinality(v_fresh);
      q.was_retry_last := false;
      q.last_taken := v_fresh[v_next_fresh];
      v_taken := v_taken || q.last_taken;
      v_next_fresh := v_next_fresh + 1;
    END IF;
  END LOOP;
  IF v_taken <> '{}' THEN
    ${ADD_TO_RATE_WINDOW.trim()}
  END IF;

  -- Sets when the queue is due again.
  q.capped_by := NULL;
  -- A queue that has started nothing keeps its position among the capped ones.
  v_since_ms := CASE WHEN v_taken = '{}' THEN least(q.capped_since_ms, q.due_at_ms, p_now_ms) ELSE p_now_ms END;
  q.capped_since_ms := NULL;
  IF v_is_disabled THEN
    q.due_at_ms := NULL;
  ELSIF p_now_ms < q.backoff_until_ms THEN
    q.due_at_ms := q.backoff_until_ms;
  ELSIF v_next_fresh > cardinality(v_fresh) AND coalesce(v_retry_times[v_next_retry] > p_now_ms, true) THEN
    -- Nothing is left but retries that are not due.
    q.due_at_ms := v_retry_times[v_next_retry];
  ELSIF cardinality(v_taken) >= v_free_starts THEN
    -- The rate limit is reached until the first entry leaves the window.
    q.due_at_ms := q.starts_at_ms[1] + v_period_ms;
  ELSIF cardinality(v_taken) < v_permits THEN
    -- Only this claim's share is used up.
    q.due_at_ms := p_now_ms;
  ELSIF NOT try_lock_capping(q.account_id) THEN
    -- An attempt of the account is just being completed, which may free a permit.
    q.capped_since_ms := v_since_ms;
    q.due_at_ms := p_now_ms + ${RECHECK_MS};
  ELSIF (v_account_leases, v_webhook_leases) = (
    SELECT count(*), count(*) FILTER (WHERE queue = p_queue) FROM leases WHERE account_id = q.account_id
  ) THEN
    -- No attempt has ended since the permits were counted: capped until one ends, at the latest when its lease ends.
    q.capped_by := CASE WHEN v_account_permits < v_webhook_permits THEN 'account' ELSE 'webhook' END;
    q.capped_since_ms := v_since_ms;
    q.due_at_ms := p_now_ms + p_lease_ms;
  ELSE
    -- A permit has become free meanwhile.
    q.due_at_ms := p_now_ms;
  END IF;
  IF v_taken <> '{}' THEN
    INSERT INTO leases (account_id, queue, message, attempt, claimed_at_ms, ends_at_ms)
    SELECT q.account_id, d.queue, d.message, d.attempt + 1, p_now_ms, p_now_ms + p_lease_ms
      FROM unnest(v_taken) AS taken (message)
     ${joinByKey('deliveries', 'd', 'd.queue = p_queue AND d.message = taken.message')};
  END IF;
  UPDATE queues
     SET last_taken = q.last_taken, was_retry_last = q.was_retry_last, due_at_ms = q.due_at_ms,
         capped_by = q.capped_by, capped_since_ms = q.capped_since_ms, starts_at_ms = q.starts_at_ms, starts = q.starts
   WHERE queue = p_queue;
  -- This queue has not used a permit, so a capped queue may use it.
  IF v_taken = '{}' AND v_account_permits > 0 THEN PERFORM unblock_capped(q.account_id, 1); END IF;
  RETURN v_taken;
`,
});
