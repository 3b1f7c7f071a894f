import type { WebhookRecord, WebhookRef } from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import type { CallScript } from '../../script-caller.ts';
import { type WebhookKeys, webhookName } from '../../webhook-keyspace.ts';
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

export async function findWebhook(
  call: CallScript,
  keys: WebhookKeys,
  ref: WebhookRef,
): Promise<WebhookRecord | null> {
  return parseFoundWebhook(await call(script, keys, { webhook: webhookName(ref) }));
}
