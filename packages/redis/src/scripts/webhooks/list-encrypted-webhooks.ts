import type { EncryptedPage, WebhookRef } from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import type { CallScript } from '../../script-caller.ts';
import { parseWebhookName, type WebhookKeys } from '../../webhook-keyspace.ts';
import { parseSecrets } from '../../webhook-record.ts';
import { KEY_OF } from './fragments/key-of.ts';

/**
 * Lists webhooks of all accounts with their secrets after the cursor `after`, in the order of creation. An empty
 * `after`: from the first.
 *
 * Outcomes: `listed`, with the time, the cursor of the next page (empty: no further page), and for each webhook its
 * name and secrets.
 */
const script = defineScript({
  name: 'list-encrypted-webhooks',
  keys: ['root'],
  args: { after: 'text', limit: 'number' },
  uses: [KEY_OF],
  lua: `
local from = after == '' and '-inf' or '(' .. after
local namesAndScores = redis.call('ZRANGEBYSCORE', rootKey .. ':all', from, '+inf', 'WITHSCORES', 'LIMIT', 0, limit)
local webhooks = {}
for at = 1, #namesAndScores, 2 do
  local secrets = redis.call('HGET', keyOf('webhook', namesAndScores[at]), 'secrets')
  if secrets then webhooks[#webhooks + 1] = {namesAndScores[at], secrets} end
end
local isPageFull = #namesAndScores == 2 * limit
return reply('listed', now, isPageFull and namesAndScores[#namesAndScores] or '', webhooks)
`,
});

export async function listEncryptedWebhooks(
  call: CallScript,
  keys: WebhookKeys,
  { limit, cursor }: { readonly limit: number; readonly cursor: string | null },
): Promise<EncryptedPage<WebhookRef>> {
  const reply = await call(script, keys, { after: cursor ?? '', limit });
  reply.expectOutcome('listed');
  const nowMs = reply.integer();
  const nextCursor = reply.text() || null;
  const items = [...reply.list().lists()].flatMap((webhook) => {
    const owner = parseWebhookName(webhook.text());
    return parseSecrets(webhook.text(), nowMs).map(({ encrypted }) => ({ owner, encrypted }));
  });
  return { items, nextCursor };
}
