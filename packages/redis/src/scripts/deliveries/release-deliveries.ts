import type { ScheduledBatch, WebhookRef } from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import { parseScheduledBatch } from '../../delivery-record.ts';
import type { CallScript } from '../../script-caller.ts';
import { type WebhookKeys, webhookName } from '../../webhook-keyspace.ts';
import { KEY_OF } from '../webhooks/fragments/key-of.ts';
import { DROP_FROM_LINES } from './fragments/drop-from-lines.ts';
import { FORGET } from './fragments/forget.ts';
import { OPEN_LINE } from './fragments/open-line.ts';
import { RESTART } from './fragments/restart.ts';

/**
 * Queues held deliveries of an enabled webhook, oldest first. One that was never tried takes its old place in
 * the order of publishing; one that was is to be asked for as a retry is.
 *
 * Outcomes: `scheduled`, with whether there are more (1), how many this call was about, and those of them that are
 * to start (id, run, delay); `unknown`.
 */
const script = defineScript({
  name: 'release-deliveries',
  keys: ['root'],
  args: { webhook: 'text', limit: 'number' },
  uses: [KEY_OF, OPEN_LINE, RESTART, FORGET, DROP_FROM_LINES],
  lua: `
local line = openLine(webhook)
if not line then return answer('unknown') end
if line.isDisabled then return answer('scheduled', 0, 0, {}) end
local heldKey, scheduled = keyOf('held', webhook), {}

local function release(id, run, sequence, attempt)
  if attempt then return beginAsRetry(line, id, run) end
  redis.call('ZADD', keyOf('queued', webhook), sequence, id)
  return beginRun(line, id, 'queued', run, askedAtMs(line, id, true))
end

dropFromLines(line)
for _, id in ipairs(redis.call('ZRANGE', heldKey, 0, limit - 1)) do
  redis.call('ZREM', heldKey, id)
  local run, sequence, attempt, expiresAtMs = unpack(redis.call('HMGET', keyOf('delivery', webhook .. '/' .. id),
    'run', 'sequence', 'attempt', 'expiresAtMs'))
  if run and now < tonumber(expiresAtMs) then
    scheduled[#scheduled + 1] = release(id, run, sequence, attempt)
  else
    forget(webhook, id)
  end
end
return answer('scheduled', redis.call('ZCARD', heldKey) > 0 and 1 or 0, #scheduled, scheduled)
`,
});

export async function releaseDeliveries(
  call: CallScript,
  keys: WebhookKeys,
  ref: WebhookRef,
  { limit }: { readonly limit: number },
): Promise<ScheduledBatch | null> {
  const reply = await call(script, keys, { webhook: webhookName(ref), limit });
  return parseScheduledBatch(reply, ref);
}
