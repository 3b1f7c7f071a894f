import { LEASE_SLACK_MS } from '@latchhook/core/storage';
import type { SqlDefinition } from '../../../define-function.ts';
import { defineStep } from './define-step.ts';

/** `save_webhook(w)`: writes those columns of a webhook that transitions of deliveries change. */
export const saveWebhook: SqlDefinition = defineStep({
  name: 'save_webhook',
  params: 'w webhooks',
  returns: 'void',
  body: `
  UPDATE webhooks
     SET disabled_at_ms = w.disabled_at_ms, disabled_reason = w.disabled_reason,
         failing_since_ms = w.failing_since_ms, paused_until_ms = w.paused_until_ms,
         rate_margin_ms = w.rate_margin_ms, last_delivery = w.last_delivery,
         queued = w.queued, held = w.held, queued_from = w.queued_from,
         first_start = w.first_start, last_start = w.last_start,
         retries = w.retries, retries_from = w.retries_from, last_retry_place = w.last_retry_place,
         was_retry_last = w.was_retry_last
   WHERE sequence = w.sequence;
`,
});

/**
 * `save_delivery(d)`: writes the state of a delivery. One in state `sending` is saved only when it starts, so its
 * `due_at_ms` then says when its lease ends. Later only `list_overdue` moves `due_at_ms`, and it does not call this.
 *
 * Both keys of the row are given: while a table has no statistics, the planner picks either index, and by half a key it
 * would read all deliveries of the webhook. The plan stays until the table is analysed, which PGlite never does.
 */
export const saveDelivery: SqlDefinition = defineStep({
  name: 'save_delivery',
  params: 'd deliveries',
  returns: 'void',
  body: `
  UPDATE deliveries
     SET state = d.state, dead_reason = d.dead_reason, run = d.run, attempt = d.attempt,
         tries_before = d.tries_before, lost = d.lost, due_at_ms = d.due_at_ms,
         lease_ends_at_ms = CASE WHEN d.state = 'sending' THEN d.due_at_ms + ${LEASE_SLACK_MS} END,
         not_before_ms = d.not_before_ms,
         is_parked = d.is_parked AND d.state IN ('queued', 'waiting'),
         retry_place = CASE WHEN d.state = 'waiting' THEN d.retry_place END,
         started_at_ms = d.started_at_ms, attempts = d.attempts, responses = d.responses
   WHERE webhook = d.webhook AND sequence = d.sequence AND delivery_id = d.delivery_id;
`,
});
