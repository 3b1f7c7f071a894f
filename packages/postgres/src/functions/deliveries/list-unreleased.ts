import type { UnreleasedRequest, WebhookRef } from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';
import { storedText } from '../../storable-text.ts';

/**
 * Lists enabled webhooks of which deliveries are held, at random. `held` may count some that have
 * expired. Outcome: `listed`, with them.
 */
export const listUnreleasedFunction = defineFunction({
  name: 'list_unreleased',
  args: { limit: 'bigint' },
  body: `
now_ms := enter(p_landing_limit_ms, p_clock_ms);
RETURN json_build_object('outcome', 'listed', 'webhooks', (
  SELECT coalesce(json_agg(json_build_object('accountId', account_id, 'webhookId', webhook_id)), '[]')
    FROM (
      SELECT account_id, webhook_id FROM webhooks w
       WHERE disabled_at_ms IS NULL AND held > 0
         AND EXISTS (
           SELECT FROM deliveries
            WHERE webhook = w.sequence AND state = 'held' AND expires_at_ms > now_ms)
       ORDER BY random() LIMIT p_limit
    ) unreleased));
`,
});

export async function listUnreleased(
  call: CallFunction,
  { limit }: UnreleasedRequest,
): Promise<readonly WebhookRef[]> {
  const answer = await call(listUnreleasedFunction, { limit });
  answer.outcome(['listed']);
  return answer.list('webhooks').map((webhook) => ({
    accountId: webhook.integer('accountId'),
    webhookId: storedText(webhook.text('webhookId')),
  }));
}
