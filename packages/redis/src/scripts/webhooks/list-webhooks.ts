import { accountName } from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import type { WebhookMethod } from '../../store-methods.ts';
import { parseWebhookRecord } from '../../webhook-record.ts';
import { KEY_OF } from './fragments/key-of.ts';
import { READ_WEBHOOK } from './fragments/read-webhook.ts';

/**
 * Lists the webhooks of an account after the sequence `after`, in the order of creation. An empty `after`: from the
 * first.
 *
 * Outcomes: `listed`, with the time and the records.
 */
const script = defineScript({
  name: 'list-webhooks',
  keys: ['root'],
  args: { accountId: 'text', after: 'text', limit: 'number' },
  uses: [KEY_OF, READ_WEBHOOK],
  lua: `
local from = after == '' and '-inf' or '(' .. after
local ids = redis.call('ZRANGEBYSCORE', keyOf('account', accountId), from, '+inf', 'LIMIT', 0, limit)
local records = {}
for index, webhookId in ipairs(ids) do records[index] = readWebhook(accountId .. '/' .. webhookId) end
return reply('listed', now, records)
`,
});

export const listWebhooks: WebhookMethod<'list'> =
  ({ call, partitions }) =>
  async (accountId, { limit, after }) => {
    const args = { accountId: accountName(accountId), after: String(after ?? ''), limit };
    const reply = await call(script, partitions.of({ accountId }), args);
    reply.expectOutcome('listed');
    const nowMs = reply.integer();
    return Array.from(reply.list().lists(), (record) => parseWebhookRecord(record, nowMs));
  };
