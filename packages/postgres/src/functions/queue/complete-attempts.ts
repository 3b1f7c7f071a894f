import {
  type AttemptEnd,
  accountName,
  type CompletedAttempt,
  type CompleteLimits,
} from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';
import { storableText } from '../../storable-text.ts';
import { BEFORE_ALL_TIMES } from './internal/before-all-times.ts';
import { withAttempt } from './internal/with-attempt.ts';

/** Replaces the outcome of an attempt if its webhook has another URL now. */
const NOT_COUNTED = `'{"kind": "not_counted", "delay_ms": 0, "reason": null, "backoff_ms": 0}'::jsonb`;

/** `ends` as rows; `place` is the index of each end, from 1. */
const ENDS = `ROWS FROM (json_to_recordset(p_ends) AS (account_id text, webhook_id text, sequence bigint,
    attempt integer, claimed_at_ms bigint, created_at_ms bigint, kind text, delay_ms bigint, reason text,
    backoff_ms bigint, line json, url text)) WITH ORDINALITY AS ended (account_id, webhook_id, message, attempt,
    claimed_at_ms, created_at_ms, kind, delay_ms, reason, backoff_ms, line, url, place)`;

/**
 * Completes attempts. `ends` has the result of `endRow` for each attempt, `accounts` the accounts of the attempts in
 * the order of locking, and `eventful` the accounts of attempts that change the queue of their webhook.
 *
 * Outcome: `completed`, with one text for each attempt: `stale` (its lease had ended), `moved` (the webhook has another
 * URL now), the reason for which the attempt disabled its webhook (`gone`, `failing`), or empty.
 *
 * The lease is the fencing token: a worker whose lease has ended changes nothing. If all attempts have succeeded and no
 * queue waits for an attempt to end, no queue is updated and no account is locked.
 */
export const completeAttemptsFunction = defineFunction({
  name: 'complete_attempts',
  byIndexes: true,
  args: { ends: 'json', accounts: 'json', eventful: 'json', disableAfterMs: 'bigint' },
  declare: `
q queues;
e record;
v_outcomes text[] := array_fill('stale'::text, ARRAY[json_array_length(p_ends)]);
v_all_accounts text[] := ARRAY(SELECT json_array_elements_text(p_accounts));
v_locked text[];
v_moved bigint[];
-- For each completed attempt: its index in p_ends, its account and its queue.
v_places bigint[];
v_accounts text[];
v_queues bigint[];
v_eventful_queues bigint[];
v_disabled_at_ms bigint;
v_reason text;
v_is_due boolean := false;
`,
  body: `
PERFORM lock_capping_shared(account_id) FROM unnest(v_all_accounts) AS listed (account_id);
-- The accounts whose queues may change.
v_locked := ARRAY(
  SELECT account_id FROM unnest(v_all_accounts) AS listed (account_id)
   WHERE listed.account_id = ANY (ARRAY(SELECT json_array_elements_text(p_eventful))) OR EXISTS (
     SELECT FROM queues watched WHERE watched.account_id = listed.account_id
        AND (watched.capped_by IS NOT NULL OR watched.failing_since_ms IS NOT NULL))
   ORDER BY listed.account_id COLLATE "C");
PERFORM lock_account(account_id) FROM unnest(v_locked) AS listed (account_id);
now_ms := assert_not_expired(p_command_expires_at_ms, p_clock_ms);
IF json_array_length(p_eventful) > 0 THEN
  v_moved := ARRAY(
    SELECT ended.place FROM ${ENDS} JOIN webhooks w USING (account_id, webhook_id) WHERE ended.url <> w.url);
END IF;
IF cardinality(v_moved) > 0 THEN
  p_ends := (
    SELECT json_agg(CASE WHEN place = ANY (v_moved) THEN (attempt_end::jsonb || ${NOT_COUNTED})::json
             ELSE attempt_end END ORDER BY place)
      FROM json_array_elements(p_ends) WITH ORDINALITY AS listed (attempt_end, place));
END IF;
WITH completed AS (
  DELETE FROM leases l USING ${ENDS}
    JOIN webhooks w ON w.account_id = ended.account_id AND w.webhook_id = ended.webhook_id
   WHERE l.account_id = ended.account_id AND l.queue = w.sequence AND l.message = ended.message
     AND l.attempt = ended.attempt AND l.claimed_at_ms = ended.claimed_at_ms
  RETURNING l.queue, ended.*
), logged AS (
  UPDATE deliveries d
     SET state = CASE c.kind WHEN 'delivered' THEN 'delivered' WHEN 'failed' THEN 'failed' ELSE 'waiting' END,
         reason = c.reason, attempt = c.attempt, lost = 0,
         failures = d.failures + (c.kind = 'retry')::integer,
         not_counted = CASE c.kind WHEN 'retry' THEN 0 WHEN 'not_counted' THEN d.not_counted + 1
           ELSE d.not_counted END,
         retry_at_ms = CASE WHEN c.kind IN ('retry', 'not_counted') THEN now_ms + c.delay_ms END,
         attempts = ${withAttempt('c.line')}
    FROM completed c
   WHERE d.queue = c.queue AND d.message = c.message AND c.kind <> 'not_started'
  RETURNING d.queue, d.message, d.state, d.retry_at_ms, c.created_at_ms
), returned AS (
  UPDATE deliveries d SET retry_at_ms = d.message - ${BEFORE_ALL_TIMES}
    FROM completed c
   WHERE d.queue = c.queue AND d.message = c.message AND c.kind = 'not_started'
  RETURNING d.queue, d.message, d.retry_at_ms
), retried AS (
  -- A delivery that was deleted during the attempt has no row in logged or returned, and so gets no retry.
  INSERT INTO retries (queue, due_at_ms, message)
  SELECT queue, retry_at_ms, message FROM logged WHERE state = 'waiting'
   UNION ALL SELECT queue, retry_at_ms, message FROM returned
), failed AS (
  INSERT INTO failed_deliveries (queue, created_at_ms, message)
  SELECT queue, created_at_ms, message FROM logged WHERE state = 'failed'
)
SELECT array_agg(place), array_agg(account_id), array_agg(queue),
       array_agg(queue) FILTER (WHERE kind <> 'delivered' OR backoff_ms > 0)
  INTO v_places, v_accounts, v_queues, v_eventful_queues FROM completed;
IF v_places IS NULL THEN
  RETURN json_build_object('outcome', 'completed', 'outcomes', to_json(v_outcomes));
END IF;
FOR i IN 1 .. cardinality(v_places) LOOP
  v_outcomes[v_places[i]] := CASE WHEN v_places[i] = ANY (v_moved) THEN 'moved' ELSE '' END;
END LOOP;

FOR q IN
  SELECT * FROM queues WHERE queue = ANY (v_queues) AND account_id = ANY (v_locked)
     AND (failing_since_ms IS NOT NULL OR capped_by IS NOT NULL OR queue = ANY (v_eventful_queues))
LOOP
  SELECT disabled_at_ms INTO v_disabled_at_ms FROM webhooks WHERE sequence = q.queue;
  IF q.capped_by = 'webhook' THEN
    q.capped_by := NULL;
    q.due_at_ms := least(q.due_at_ms, now_ms);
  END IF;
  FOR e IN
    SELECT ended.* FROM ${ENDS}
      JOIN unnest(v_queues, v_places) AS completed (queue, place)
        ON completed.place = ended.place AND completed.queue = q.queue
     ORDER BY ended.place
  LOOP
    IF e.backoff_ms > 0 THEN q.backoff_until_ms := greatest(q.backoff_until_ms, now_ms + e.backoff_ms); END IF;
    IF e.kind = 'delivered' THEN
      q.failing_since_ms := NULL;
    ELSIF e.kind = 'not_started' THEN
      q.next_retry_at_ms := least(q.next_retry_at_ms, e.message - ${BEFORE_ALL_TIMES});
      q.due_at_ms := least(q.due_at_ms, now_ms);
    ELSIF e.kind IN ('retry', 'not_counted') THEN
      q.next_retry_at_ms := least(q.next_retry_at_ms, now_ms + e.delay_ms);
      q.due_at_ms := least(q.due_at_ms, now_ms + e.delay_ms);
    END IF;
    CONTINUE WHEN e.kind NOT IN ('retry', 'failed');
    q.failing_since_ms := coalesce(q.failing_since_ms, now_ms);
    CONTINUE WHEN v_disabled_at_ms IS NOT NULL;
    v_reason := CASE
      WHEN e.reason = 'gone' THEN 'gone'
      WHEN now_ms - q.failing_since_ms >= p_disable_after_ms
        AND (e.kind = 'failed' OR now_ms - e.created_at_ms >= p_disable_after_ms) THEN 'failing'
    END;
    CONTINUE WHEN v_reason IS NULL;
    UPDATE webhooks SET disabled_at_ms = now_ms, disabled_reason = v_reason WHERE sequence = q.queue;
    v_disabled_at_ms := now_ms;
    v_outcomes[e.place] := v_reason;
  END LOOP;
  IF v_disabled_at_ms IS NOT NULL THEN
    q.due_at_ms := NULL;
    q.awaits_arrival := false;
    q.failing_since_ms := NULL;
  END IF;
  v_is_due := v_is_due OR coalesce(q.due_at_ms <= now_ms, false);
  UPDATE queues
     SET failing_since_ms = q.failing_since_ms, backoff_until_ms = q.backoff_until_ms,
         next_retry_at_ms = q.next_retry_at_ms, due_at_ms = q.due_at_ms, capped_by = q.capped_by,
         awaits_arrival = q.awaits_arrival
   WHERE queue = q.queue;
END LOOP;
FOR e IN SELECT account_id, count(*) AS freed FROM unnest(v_accounts) AS of_account (account_id)
         WHERE account_id = ANY (v_locked) GROUP BY account_id LOOP
  v_is_due := unblock_capped(e.account_id, e.freed) OR v_is_due;
END LOOP;
IF v_is_due THEN PERFORM notify_workers(); END IF;
RETURN json_build_object('outcome', 'completed', 'outcomes', to_json(v_outcomes));
`,
});

export async function completeAttempts(
  call: CallFunction,
  ends: readonly AttemptEnd[],
  { disableAfterMs }: CompleteLimits,
): Promise<readonly CompletedAttempt[]> {
  const args = {
    ends: ends.map(endRow),
    accounts: accountsOf(ends),
    eventful: accountsOf(ends.filter(isEventful)),
    disableAfterMs,
  };
  const result = await call(completeAttemptsFunction, args);
  result.expectOutcome('completed');
  return result.textsOrNulls('outcomes').map((outcome) => {
    if (outcome === 'stale' || outcome === 'moved') return { outcome };
    const disabled = outcome === 'gone' || outcome === 'failing' ? outcome : null;
    return { outcome: 'completed', disabled };
  });
}

/** The accounts, sorted by their bytes as PostgreSQL sorts them under the collation "C". */
function accountsOf(ends: readonly AttemptEnd[]): readonly string[] {
  return [...new Set(ends.map(({ accountId }) => accountName(accountId)))].sort();
}

/** Whether an attempt changes the queue of its webhook. */
function isEventful(end: AttemptEnd): boolean {
  return end.outcome.kind !== 'delivered' || ('backoffMs' in end && end.backoffMs > 0);
}

function endRow(end: AttemptEnd): Readonly<Record<string, unknown>> {
  const { outcome, attempt, claimedAtMs } = end;
  const row = {
    account_id: accountName(end.accountId),
    webhook_id: storableText(end.webhookId),
    sequence: end.sequence,
    attempt,
    claimed_at_ms: claimedAtMs,
    created_at_ms: end.createdAtMs,
    kind: outcome.kind,
  };
  if (!('result' in end)) return row;
  const { status, durationMs, error } = end.result;
  return {
    ...row,
    delay_ms: 'delayMs' in outcome ? Math.ceil(outcome.delayMs) : null,
    reason: outcome.kind === 'failed' ? outcome.reason : null,
    backoff_ms: Math.ceil(end.backoffMs),
    line: [attempt, claimedAtMs, status, durationMs, error],
    // A delivery to an old URL still counts as delivered, so the function need not compare URLs.
    url: outcome.kind === 'delivered' ? null : end.url,
  };
}
