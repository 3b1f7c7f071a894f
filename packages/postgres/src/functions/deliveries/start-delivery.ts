import { LEASE_SLACK_MS, type StartOutcome, type StartRequest } from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import { parseNext } from '../../delivery-record.ts';
import type { CallFunction } from '../../function-caller.ts';
import { parseTarget } from '../../webhook-record.ts';

/**
 * Starts an attempt, if it may start now.
 *
 * Outcomes: `started`, with attempt, tries before, time, body, what is needed of the webhook to send, and who is
 * next; `deferred`, with the time to wait, the obstacle, and who is next; `held`; `poisoned`, with who is next; `over`,
 * with who is next where the message is lost.
 *
 * Finding room and taking it is one transition under the lock of the webhook: otherwise every process would find the
 * same start free. An attempt whose lease is over is counted as lost by the next call for its delivery, so only once.
 */
export const startDeliveryFunction = defineFunction({
  name: 'start_delivery',
  byIndexes: true,
  args: {
    accountId: 'bigint',
    webhookId: 'text',
    deliveryId: 'text',
    run: 'bigint',
    leaseMs: 'bigint',
    maxInFlight: 'bigint',
    maxLostAttempts: 'bigint',
    rateMarginMs: 'bigint',
    withdrawnStartAtMs: 'bigint',
  },
  declare: `
w webhooks;
d deliveries;
v_ended record;
v_had_its_turn boolean := false;
v_is_first boolean;
v_first bigint;
v_free bigint;
v_place bigint;
v_rank bigint;
v_in_flight bigint;
v_obstacle text;
v_live webhooks;
v_body text;
`,
  body: `
SELECT * INTO w FROM webhooks
 WHERE account_id = p_account_id AND webhook_id = p_webhook_id FOR UPDATE;
now_ms := enter(p_landing_limit_ms, p_clock_ms);
SELECT * INTO d FROM deliveries WHERE webhook = w.sequence AND delivery_id = p_delivery_id;
IF NOT FOUND OR d.run <> p_run OR d.expires_at_ms <= now_ms OR d.state IN ('delivered', 'dead') THEN
  RETURN json_build_object('outcome', 'over', 'next', NULL);
END IF;

IF d.state = 'sending' THEN
  v_ended := end_under_way(w, d, p_max_lost_attempts, p_withdrawn_start_at_ms, now_ms);
  w := v_ended.w;
  d := v_ended.d;
  IF v_ended.outcome = 'under_way' THEN
    RETURN json_build_object('outcome', 'deferred', 'delayMs', d.lease_ends_at_ms - now_ms, 'by', 'sending',
      'next', NULL);
  ELSIF v_ended.outcome = 'poisoned' THEN
    w.rate_margin_ms := p_rate_margin_ms;
    RETURN json_build_object('outcome', 'poisoned', 'next', next_in_line(w, p_max_in_flight, now_ms));
  END IF;
  v_had_its_turn := v_ended.outcome = 'withdrawn';
END IF;

IF d.state = 'held' THEN RETURN json_build_object('outcome', 'held'); END IF;
IF w.disabled_at_ms IS NOT NULL THEN
  w := leave_lines(w, d);
  w.held := w.held + 1;
  PERFORM save_webhook(w);
  PERFORM save_delivery(hold(d));
  RETURN json_build_object('outcome', 'held');
END IF;
IF d.state = 'waiting' AND now_ms < d.not_before_ms THEN
  RETURN json_build_object('outcome', 'deferred', 'delayMs', d.not_before_ms - now_ms, 'by', 'schedule',
    'next', NULL);
END IF;

v_is_first := d.state = 'queued';
w.rate_margin_ms := p_rate_margin_ms;
v_first := first_in_window(w, now_ms);
v_free := free_starts(w, v_first, now_ms);
v_in_flight := in_flight(w, now_ms);
v_place := place_of(w, d, now_ms);
v_rank := in_turns(w, v_place, v_is_first);
v_obstacle := obstacle_to(CASE WHEN v_had_its_turn THEN 0 ELSE v_rank END, v_free, v_in_flight, p_max_in_flight);
IF v_obstacle IS NOT NULL AND v_rank > 0 AND NOT v_had_its_turn THEN
  -- The row of the webhook counts what is forgotten until it is deleted, and would have this one wait for it.
  v_live := without_forgotten(w, p_max_in_flight - v_in_flight, now_ms);
  IF v_live.queued + v_live.retries < w.queued + w.retries THEN
    v_place := place_of(v_live, d, now_ms);
    v_rank := in_turns(v_live, v_place, v_is_first);
    v_obstacle := obstacle_to(v_rank, v_free, v_in_flight, p_max_in_flight);
  END IF;
END IF;
IF v_obstacle IS NOT NULL THEN
  RETURN defer_start(w, d, v_obstacle, v_first, v_rank, p_max_in_flight, p_lease_ms, now_ms);
END IF;

SELECT body INTO v_body FROM messages WHERE message = d.message;
IF NOT FOUND THEN
  -- Both were forgotten, and only the message was deleted yet, when the clock of the server was set back. What stays
  -- would be returned as overdue again and again, and keep its place in line.
  w := leave_lines(w, d);
  PERFORM save_webhook(w);
  DELETE FROM deliveries WHERE webhook = d.webhook AND sequence = d.sequence AND delivery_id = d.delivery_id;
  RETURN json_build_object('outcome', 'over', 'next', next_in_line(w, p_max_in_flight, now_ms));
END IF;
w := note_start(leave_lines(w, d), now_ms);
w.was_retry_last := NOT v_is_first;
IF v_place = 0 THEN w := begin_behind(w, d, now_ms); END IF;
PERFORM save_webhook(w);
d.state := 'sending';
d.attempt := d.attempt + 1;
d.started_at_ms := now_ms;
d.due_at_ms := now_ms + p_lease_ms - ${LEASE_SLACK_MS};
PERFORM save_delivery(d);
RETURN json_build_object('outcome', 'started', 'attempt', d.attempt, 'triesBefore', d.tries_before,
  'startedAtMs', now_ms, 'body', v_body,
  'webhook', json_build_object('url', w.url, 'secrets', signing_secrets(w.secrets, now_ms)),
  'next', next_in_line(w, p_max_in_flight, now_ms));
`,
});

export async function startDelivery(
  call: CallFunction,
  request: StartRequest,
): Promise<StartOutcome> {
  const { accountId, webhookId, deliveryId, run, withdrawnStartAtMs } = request;
  const { leaseMs, maxInFlight, maxLostAttempts, rateMarginMs } = request;
  const limits = { leaseMs, maxInFlight, maxLostAttempts, rateMarginMs };
  const args = { accountId, webhookId, deliveryId, run, withdrawnStartAtMs, ...limits };
  const answer = await call(startDeliveryFunction, args);
  const outcome = answer.outcome(['started', 'deferred', 'held', 'poisoned', 'over']);
  switch (outcome) {
    case 'started':
      return {
        outcome,
        attempt: answer.integer('attempt'),
        triesBefore: answer.integer('triesBefore'),
        startedAtMs: answer.integer('startedAtMs'),
        body: answer.text('body'),
        webhook: parseTarget(answer.object('webhook')),
        next: parseNext(request, answer),
      };
    case 'deferred':
      return {
        outcome,
        delayMs: answer.integer('delayMs'),
        reason: answer.oneOf('by', ['rate', 'in_flight', 'sending', 'schedule']),
        next: parseNext(request, answer),
      };
    case 'poisoned':
      return { outcome, next: parseNext(request, answer) };
    case 'over': {
      const next = parseNext(request, answer);
      return next === null ? { outcome } : { outcome, next };
    }
    case 'held':
      return { outcome };
  }
}
