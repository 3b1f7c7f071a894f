import type { FinishOutcome, FinishRequest } from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import { parseNext } from '../../delivery-record.ts';
import type { CallFunction } from '../../function-caller.ts';
import { parseDisabledReason } from '../../webhook-record.ts';

/**
 * Ends an attempt: logs it, and sets the state of the delivery and of its webhook.
 *
 * Outcomes: `finished`, with the state, the reason where it disabled the webhook, and who is next; `stale`. The number
 * of the attempt is the fence: once an attempt was taken for lost, the next one has another number.
 */
export const finishDeliveryFunction = defineFunction({
  name: 'finish_delivery',
  byIndexes: true,
  args: {
    accountId: 'bigint',
    webhookId: 'text',
    deliveryId: 'text',
    attempt: 'bigint',
    result: 'json',
    response: 'json',
    verdict: 'json',
    disableAfterMs: 'bigint',
    pauseMs: 'bigint',
    maxInFlight: 'bigint',
  },
  declare: `
w webhooks;
d deliveries;
v_kind text := p_verdict ->> 'kind';
v_was_disabled boolean;
`,
  body: `
SELECT * INTO w FROM webhooks
 WHERE account_id = p_account_id AND webhook_id = p_webhook_id FOR UPDATE;
now_ms := enter(p_landing_limit_ms, p_clock_ms);
SELECT * INTO d FROM deliveries WHERE webhook = w.sequence AND delivery_id = p_delivery_id;
IF NOT FOUND OR d.state <> 'sending' OR d.attempt <> p_attempt OR d.expires_at_ms <= now_ms THEN
  RETURN json_build_object('outcome', 'stale');
END IF;

v_was_disabled := w.disabled_at_ms IS NOT NULL;
d := log_attempt(d, p_result, p_response);
-- Not where a pause ended while it was in flight, perhaps as another receiver is asked from now on.
IF p_pause_ms > 0 AND (d.started_at_ms < w.paused_until_ms AND w.paused_until_ms <= now_ms) IS NOT TRUE THEN
  w.paused_until_ms := greatest(pause_end(w, now_ms), now_ms + p_pause_ms);
END IF;
IF v_kind = 'delivered' THEN
  w.failing_since_ms := NULL;
ELSIF v_kind IN ('retry', 'dead') THEN
  w := note_failure(w, d, p_verdict ->> 'reason', p_disable_after_ms, now_ms);
END IF;

d.due_at_ms := NULL;
IF v_kind IN ('delivered', 'dead') THEN
  d.state := v_kind;
  d.dead_reason := p_verdict ->> 'reason';
ELSE
  d.tries_before := d.tries_before + (v_kind = 'retry')::integer;
  IF w.disabled_at_ms IS NOT NULL THEN
    w.held := w.held + 1;
    d := hold(d);
  ELSE
    d.state := 'waiting';
    d.due_at_ms := now_ms + (p_verdict ->> 'delayMs')::bigint;
    d.not_before_ms := d.due_at_ms;
  END IF;
END IF;
PERFORM save_webhook(w);
PERFORM save_delivery(d);
RETURN json_build_object('outcome', 'finished', 'state', d.state,
  'disabled', CASE WHEN NOT v_was_disabled THEN w.disabled_reason END,
  'next', next_in_line(w, p_max_in_flight, now_ms));
`,
});

export async function finishDelivery(
  call: CallFunction,
  request: FinishRequest,
): Promise<FinishOutcome> {
  const { accountId, webhookId, deliveryId, attempt, verdict, disableAfterMs, maxInFlight } =
    request;
  const pauseMs = Math.ceil(request.pauseMs);
  const { status, durationMs, error, response } = request.result;
  const result = { status, durationMs, error };
  const args = {
    accountId,
    webhookId,
    deliveryId,
    attempt,
    result,
    response,
    verdict,
    disableAfterMs,
    pauseMs,
    maxInFlight,
  };
  const answer = await call(finishDeliveryFunction, args);
  const outcome = answer.outcome(['finished', 'stale']);
  if (outcome === 'stale') return { outcome };
  return {
    outcome,
    state: answer.oneOf('state', ['delivered', 'waiting', 'held', 'dead']),
    disabled: parseDisabledReason(answer, 'disabled'),
    next: parseNext(request, answer),
  };
}
