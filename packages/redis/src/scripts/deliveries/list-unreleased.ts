import type { UnreleasedRequest, WebhookRef } from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import type { CallScript } from '../../script-caller.ts';
import { parseWebhookName, type WebhookKeys } from '../../webhook-keyspace.ts';
import { KEY_OF } from '../webhooks/fragments/key-of.ts';

/**
 * Lists enabled webhooks of which deliveries are held, at random.
 *
 * Outcomes: `listed`, with their names.
 *
 * `enable-webhook` has noted them. What was released since, disabled or removed leaves here: otherwise each of these
 * transitions would have to see to it.
 */
const script = defineScript({
  name: 'list-unreleased',
  keys: ['root'],
  args: { limit: 'number' },
  uses: [KEY_OF],
  lua: `
local key, found = rootKey .. ':unreleased', {}
local function isUnreleased(webhook)
  return redis.call('HEXISTS', keyOf('webhook', webhook), 'disabledAtMs') == 0
    and redis.call('EXISTS', keyOf('held', webhook)) == 1
end

repeat
  local chosen = redis.call('SRANDMEMBER', key, limit)
  for _, webhook in ipairs(chosen) do
    if isUnreleased(webhook) then
      found[#found + 1] = webhook
    else
      redis.call('SREM', key, webhook)
    end
  end
until #found > 0 or #chosen == 0
return answer('listed', found)
`,
});

export async function listUnreleased(
  call: CallScript,
  keys: WebhookKeys,
  { limit }: UnreleasedRequest,
): Promise<readonly WebhookRef[]> {
  const reply = await call(script, keys, { limit });
  reply.outcome(['listed']);
  return [...reply.list().texts()].map(parseWebhookName);
}
