import type { AccountId } from '@latchhook/core';
import type { Page, WebhookRecord } from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';
import { parseWebhookRecord } from '../../webhook-record.ts';

/** Lists the webhooks of an account, in the order of creation. Outcome: `listed`, with the records. */
export const listWebhooksFunction = defineFunction({
  name: 'list_webhooks',
  args: { accountId: 'account', limit: 'bigint', after: 'bigint' },
  body: `
now_ms := now_unless_expired(p_command_expires_at_ms, p_clock_ms);
RETURN json_build_object('outcome', 'listed', 'webhooks', (
  SELECT coalesce(json_agg(webhook_record(page::webhooks, now_ms) ORDER BY sequence), '[]')
    FROM (
      SELECT * FROM webhooks
       WHERE account_id = p_account_id AND sequence > coalesce(p_after, 0)
       ORDER BY sequence LIMIT p_limit
    ) page));
`,
});

export async function listWebhooks(
  call: CallFunction,
  accountId: AccountId,
  page: Page,
): Promise<readonly WebhookRecord[]> {
  const result = await call(listWebhooksFunction, { accountId, ...page });
  return result.list('webhooks').map(parseWebhookRecord);
}
