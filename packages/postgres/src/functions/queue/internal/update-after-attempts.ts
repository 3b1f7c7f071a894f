import type { SqlDefinition } from '../../../define-function.ts';
import { defineStep } from '../../internal/define-step.ts';

/**
 * `update_after_attempts(q, p_ends, p_indexes, p_outcomes, p_disable_after_ms, p_now_ms)`: updates a queue after
 * attempts that have ended, in their order: when it is due, its backoff, and since when it fails. `p_indexes` are the
 * indexes of these attempts in `p_ends`. The caller has locked the account.
 *
 * If an attempt disables the webhook, the returned `p_outcomes` have the reason at the index of the attempt: `gone`, or
 * `failing`. It is `failing` if all attempts have failed for at least `p_disable_after_ms`, and this attempt was the
 * last one of its delivery, or its message was published at least `p_disable_after_ms` ago. So after a quiet week, the
 * first failed attempt of a new message does not disable the webhook.
 */
export const updateAfterAttempts: SqlDefinition = defineStep({
  name: 'update_after_attempts',
  params: `q queues, p_ends attempt_end[], p_indexes integer[], p_outcomes text[], p_disable_after_ms bigint,
  p_now_ms bigint`,
  returns: 'text[]',
  declare: `
  e attempt_end;
  v_index integer;
  v_is_disabled boolean := (SELECT disabled_at_ms IS NOT NULL FROM webhooks WHERE queue = q.queue);
  v_reason text;
`,
  body: `
  IF q.capped_by = 'webhook' THEN
    q.capped_by := NULL;
    q.due_at_ms := least(q.due_at_ms, p_now_ms);
  END IF;
  FOREACH v_index IN ARRAY p_indexes LOOP
    e := p_ends[v_index];
    IF e.backoff_ms > 0 THEN q.backoff_until_ms := greatest(q.backoff_until_ms, p_now_ms + e.backoff_ms); END IF;
    IF e.kind IN ('not_started', 'retry', 'not_counted', 'moved') THEN
      q.due_at_ms := least(q.due_at_ms, p_now_ms + coalesce(e.delay_ms, 0));
    END IF;
    IF e.kind = 'delivered' THEN q.failing_since_ms := NULL; END IF;
    CONTINUE WHEN e.kind NOT IN ('retry', 'failed');

    q.failing_since_ms := coalesce(q.failing_since_ms, p_now_ms);
    v_reason := CASE
      WHEN e.reason = 'gone' THEN 'gone'
      WHEN p_now_ms - q.failing_since_ms >= p_disable_after_ms
        AND (e.kind = 'failed' OR p_now_ms - e.created_at_ms >= p_disable_after_ms) THEN 'failing'
    END;
    CONTINUE WHEN v_is_disabled OR v_reason IS NULL;
    UPDATE webhooks SET disabled_at_ms = p_now_ms, disabled_reason = v_reason WHERE queue = q.queue;
    v_is_disabled := true;
    p_outcomes[v_index] := v_reason;
  END LOOP;
  IF v_is_disabled THEN
    q.due_at_ms := NULL;
    q.failing_since_ms := NULL;
  END IF;
  UPDATE queues
     SET failing_since_ms = q.failing_since_ms, backoff_until_ms = q.backoff_until_ms,
         due_at_ms = q.due_at_ms, capped_by = q.capped_by
   WHERE queue = q.queue;
  IF q.due_at_ms <= p_now_ms THEN PERFORM notify_workers(); END IF;
  RETURN p_outcomes;
`,
});
