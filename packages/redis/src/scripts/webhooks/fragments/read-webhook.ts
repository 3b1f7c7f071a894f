import { defineFragment } from '../../../define-fragment.ts';
import { WEBHOOK } from '../../../webhook-record.ts';
import { KEY_OF } from './key-of.ts';

const { at } = WEBHOOK;

/** `readWebhook(webhook)`: the record `WEBHOOK`, or `nil`. */
export const READ_WEBHOOK = defineFragment({
  uses: [KEY_OF],
  lua: `
local function readWebhook(webhook)
  local record = redis.call('HMGET', keyOf('webhook', webhook), ${WEBHOOK.stored})
  if not record[${at.event}] then return nil end
  record[${at.webhook}] = webhook
  return record
end
`,
});
