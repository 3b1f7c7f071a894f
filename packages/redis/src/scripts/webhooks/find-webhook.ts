import { defineScript } from '../../define-script.ts';
import type { WebhookMethod } from '../../store-methods.ts';
import { webhookName } from '../../webhook-keyspace.ts';
import { parseFoundWebhook } from '../../webhook-record.ts';
import { READ_WEBHOOK } from './fragments/read-webhook.ts';

/**
 * Reads a webhook.
 *
 * Outcomes: `found`, with the time and the record; `unknown`.
 */
const script = defineScript({
  name: 'find-webhook',
  keys: ['root'],
  args: { webhook: 'text' },
  uses: [READ_WEBHOOK],
  lua: `
local record = readWebhook(webhook)
if not record then return reply('unknown') end
return reply('found', now, record)
`,
});

export const findWebhook: WebhookMethod<'find'> =
  ({ call, partitions }) =>
  async (ref) => {
    const args = { webhook: webhookName(ref) };
    return parseFoundWebhook(await call(script, partitions.of(ref), args));
  };
