import {
  DEAD_REASONS,
  DELIVERY_STATES,
  type ListedDelivery,
  type Page,
  type WebhookRef,
} from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';
import type { FunctionResult } from '../../function-result.ts';
import { storedText } from '../../storable-text.ts';

/** Lists deliveries of a webhook, newest first. Outcomes: `listed`, with the deliveries; `unknown`. */
export const listQueueFunction = defineFunction({
  name: 'list_queue',
  byIndexes: true,
  args: { accountId: 'account', webhookId: 'text', limit: 'bigint', after: 'bigint' },
  declare: 'w webhooks;',
  body: `
now_ms := now_unless_expired(p_command_expires_at_ms, p_clock_ms);
SELECT * INTO w FROM webhooks WHERE account_id = p_account_id AND webhook_id = p_webhook_id;
IF NOT FOUND THEN RETURN json_build_object('outcome', 'unknown'); END IF;
RETURN json_build_object('outcome', 'listed', 'deliveries', (
  SELECT coalesce(json_agg(json_build_object('deliveryId', message_id, 'event', event, 'sequence', message,
      'state', state, 'deadReason', reason, 'createdAtMs', created_at_ms,
      -- A returned delivery is claimed next; its retry time is negative, and only orders it.
      'nextAttemptAtMs', CASE WHEN state = 'waiting' AND retry_at_ms >= 0 THEN retry_at_ms END,
      'attempts', attempts) ORDER BY message DESC), '[]')
    FROM (
      SELECT m.message_id, m.event, m.created_at_ms, d.message, d.reason, d.retry_at_ms,
             (SELECT coalesce(json_agg(json_build_object('attempt', fields -> 0, 'startedAtMs', fields -> 1,
                  'status', fields -> 2, 'durationMs', fields -> 3, 'error', fields -> 4) ORDER BY index), '[]')
                FROM unnest(d.attempts) WITH ORDINALITY AS listed (fields, index)) AS attempts,
             CASE
               WHEN d.state = 'delivered' THEN 'delivered'
               WHEN d.state = 'failed' THEN 'dead'
               WHEN EXISTS (SELECT FROM leases l
                 WHERE l.account_id = p_account_id AND l.queue = d.queue AND l.message = d.message) THEN 'sending'
               WHEN w.disabled_at_ms IS NOT NULL THEN 'held'
               WHEN d.attempt = 0 THEN 'queued'
               ELSE 'waiting'
             END AS state
        FROM deliveries d JOIN messages m ON m.message = d.message
       WHERE d.queue = w.queue AND d.message < coalesce(p_after, 9223372036854775807)
         AND m.expires_at_ms > now_ms
       ORDER BY d.message DESC LIMIT p_limit
    ) page));
`,
});

export async function listQueue(
  call: CallFunction,
  ref: WebhookRef,
  page: Page,
): Promise<readonly ListedDelivery[] | null> {
  const result = await call(listQueueFunction, { ...ref, ...page });
  if (result.outcome(['listed', 'unknown']) === 'unknown') return null;
  return result.list('deliveries').map((delivery) => parseListed(ref, delivery));
}

function parseListed({ accountId, webhookId }: WebhookRef, result: FunctionResult): ListedDelivery {
  const isDead = result.textOrNull('deadReason') !== null;
  return {
    accountId,
    webhookId,
    deliveryId: storedText(result.text('deliveryId')),
    event: result.text('event'),
    sequence: result.integer('sequence'),
    state: result.oneOf('state', DELIVERY_STATES),
    deadReason: isDead ? result.oneOf('deadReason', DEAD_REASONS) : null,
    createdAtMs: result.integer('createdAtMs'),
    nextAttemptAtMs: result.integerOrNull('nextAttemptAtMs'),
    attempts: result.list('attempts').map(parseAttempt),
  };
}

function parseAttempt(result: FunctionResult): ListedDelivery['attempts'][number] {
  return {
    attempt: result.integer('attempt'),
    startedAtMs: result.integer('startedAtMs'),
    status: result.integerOrNull('status'),
    durationMs: result.integer('durationMs'),
    error: result.textOrNull('error'),
  };
}
