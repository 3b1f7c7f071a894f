import { defineScript } from '../../define-script.ts';
import type { WebhookMethod } from '../../store-methods.ts';
import { parseWebhookName } from '../../webhook-keyspace.ts';
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

/** Lists one partition after the other. A cursor is `<index of the partition>:<cursor in the partition>`. */
export const listEncryptedWebhooks: WebhookMethod<'listEncrypted'> =
  ({ call, partitions: { all } }) =>
  async ({ limit, cursor }) => {
    const [indexText = '0', after = ''] = cursor?.split(':') ?? [];
    const index = Number(indexText);
    const keys = all[index];
    if (keys === undefined) return { items: [], nextCursor: null };
    const reply = await call(script, keys, { after, limit });
    reply.expectOutcome('listed');
    const nowMs = reply.integer();
    const nextAfter = reply.text();
    const items = [...reply.list().lists()].flatMap((webhook) => {
      const owner = parseWebhookName(webhook.text());
      return parseSecrets(webhook.text(), nowMs).map(({ encrypted }) => ({ owner, encrypted }));
    });
    const nextIndex = nextAfter === '' ? index + 1 : index;
    const nextCursor = nextIndex < all.length ? `${nextIndex}:${nextAfter}` : null;
    return { items, nextCursor };
  };
