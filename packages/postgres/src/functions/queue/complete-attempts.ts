import type { AttemptEnd, CompletedAttempt, CompleteLimits } from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';
import { endRow } from './attempt-end-row.ts';
import { BEFORE_ALL_TIMES } from './internal/before-all-times.ts';
import { withAttempt } from './internal/with-attempt.ts';

/**
 * Completes attempts. `ends` has a row of `attempt_end` for each attempt.
 *
 * Outcome: `completed`, with one text for each attempt: `stale` (its lease had ended), `moved` (the webhook has another
 * URL now), the reason for which the attempt disabled its webhook (`gone`, `failing`), or empty.
 *
 * The lease is the fencing token: a worker whose lease has ended changes nothing. If all attempts have succeeded and no
 * queue of their accounts is capped or failing, no queue is updated and no account is locked.
 */
export const completeAttemptsFunction = defineFunction({
  name: 'complete_attempts',
  byIndexes: true,
  args: { ends: 'json', disableAfterMs: 'bigint' },
  declare: `
q queues;
r record;
v_ends attempt_end[] := ARRAY(SELECT json_populate_recordset(NULL::attempt_end, p_ends));
v_outcomes text[] := array_fill('stale'::text, ARRAY[cardinality(v_ends)]);
-- The accounts whose queues may change.
v_locked text[];
v_index integer;
-- For each completed attempt: its index in v_ends, its account and its queue.
v_indexes integer[];
v_accounts text[];
v_queues bigint[];
-- The queues of the completed attempts that were not delivered, or cause a backoff.
v_eventful_queues bigint[];
`,
  body: `
PERFORM lock_capping_shared(account_id) FROM (SELECT DISTINCT account_id FROM unnest(v_ends)) listed;
v_locked := ARRAY(
  SELECT e.account_id FROM unnest(v_ends) AS e GROUP BY e.account_id
  HAVING bool_or(e.kind <> 'delivered' OR e.backoff_ms > 0) OR EXISTS (
    SELECT FROM queues watched WHERE watched.account_id = e.account_id
       AND (watched.capped_by IS NOT NULL OR watched.failing_since_ms IS NOT NULL))
   ORDER BY e.account_id COLLATE "C");
PERFORM lock_account(account_id) FROM unnest(v_locked) AS listed (account_id);
now_ms := now_unless_expired(p_command_expires_at_ms, p_clock_ms);

-- An attempt at a former URL does not count, and is repeated at once at the new one.
IF v_locked <> '{}' THEN
  FOR v_index IN
    SELECT e.ordinality FROM unnest(v_ends) WITH ORDINALITY AS e JOIN webhooks w USING (account_id, webhook_id)
     WHERE e.url <> w.url
  LOOP
    v_ends[v_index].kind := 'moved';
    v_ends[v_index].delay_ms := 0;
    v_ends[v_index].backoff_ms := 0;
    v_ends[v_index].reason := NULL;
  END LOOP;
END IF;

-- Ends the leases, and records the attempts.
WITH completed AS (
  DELETE FROM leases l USING unnest(v_ends) WITH ORDINALITY AS e
    JOIN webhooks w ON w.account_id = e.account_id AND w.webhook_id = e.webhook_id
   WHERE l.account_id = e.account_id AND l.queue = w.queue AND l.message = e.message
     AND l.attempt = e.attempt AND l.claimed_at_ms = e.claimed_at_ms
  RETURNING l.queue, e.*
), logged AS (
  UPDATE deliveries d
     SET state = CASE c.kind WHEN 'delivered' THEN 'delivered' WHEN 'failed' THEN 'failed' ELSE 'waiting' END,
         reason = c.reason, attempt = c.attempt, stalled = 0,
         failures = d.failures + (c.kind = 'retry')::integer,
         not_counted = CASE WHEN c.kind = 'retry' THEN 0
           ELSE d.not_counted + (c.kind IN ('not_counted', 'moved'))::integer END,
         retry_at_ms = CASE WHEN c.kind IN ('retry', 'not_counted', 'moved') THEN now_ms + c.delay_ms END,
         attempts = ${withAttempt('c.line')}
    FROM completed c
   WHERE d.queue = c.queue AND d.message = c.message AND c.kind <> 'not_started'
), returned AS (
  UPDATE deliveries d SET retry_at_ms = d.message - ${BEFORE_ALL_TIMES}
    FROM completed c
   WHERE d.queue = c.queue AND d.message = c.message AND c.kind = 'not_started'
)
SELECT array_agg(ordinality), array_agg(account_id), array_agg(queue),
       array_agg(queue) FILTER (WHERE kind <> 'delivered' OR backoff_ms > 0)
  INTO v_indexes, v_accounts, v_queues, v_eventful_queues FROM completed;
FOREACH v_index IN ARRAY coalesce(v_indexes, '{}') LOOP
  v_outcomes[v_index] := CASE WHEN v_ends[v_index].kind = 'moved' THEN 'moved' ELSE '' END;
END LOOP;

FOR q IN
  SELECT * FROM queues WHERE queue = ANY (v_queues) AND account_id = ANY (v_locked)
     AND (failing_since_ms IS NOT NULL OR capped_by IS NOT NULL OR queue = ANY (v_eventful_queues))
LOOP
  v_outcomes := update_after_attempts(q, v_ends, ARRAY(
    SELECT index FROM unnest(v_queues, v_indexes) AS completed (queue, index)
     WHERE queue = q.queue ORDER BY index), v_outcomes, p_disable_after_ms, now_ms);
END LOOP;
FOR r IN
  -- One permit more for each webhook that is disabled here: its queue may have been unblocked to use one.
  SELECT account_id, count(*) + count(*) FILTER (WHERE v_outcomes[index] IN ('gone', 'failing')) AS freed
    FROM unnest(v_accounts, v_indexes) AS completed (account_id, index)
   WHERE account_id = ANY (v_locked) GROUP BY account_id
LOOP
  IF unblock_capped(r.account_id, r.freed) THEN PERFORM notify_workers(); END IF;
END LOOP;
RETURN json_build_object('outcome', 'completed', 'outcomes', to_json(v_outcomes));
`,
});

export async function completeAttempts(
  call: CallFunction,
  ends: readonly AttemptEnd[],
  { disableAfterMs }: CompleteLimits,
): Promise<readonly CompletedAttempt[]> {
  const result = await call(completeAttemptsFunction, { ends: ends.map(endRow), disableAfterMs });
  result.expectOutcome('completed');
  return result.texts('outcomes').map((outcome) => {
    if (outcome === 'stale' || outcome === 'moved') return { outcome };
    const disabled = outcome === 'gone' || outcome === 'failing' ? outcome : null;
    return { outcome: 'completed', disabled };
  });
}
