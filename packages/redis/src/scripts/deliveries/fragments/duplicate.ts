import { defineFragment } from '../../../define-fragment.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';

/**
 * `duplicate(accountId, firstId, webhookIds)`: the answer to who publishes what is published already: how many
 * deliveries it has, and those that never started (webhook id, run, delay), which the engine may not have.
 */
export const DUPLICATE = defineFragment({
  uses: [KEY_OF],
  rareFunction: 'duplicate(accountId, firstId, webhookIds)',
  body: `
  work = work + math.max(0, #webhookIds - 1)
  local scheduled = {}
  for _, id in ipairs(webhookIds) do
    local webhook = accountId .. '/' .. id
    local dueAtMs = redis.call('ZSCORE', keyOf('due', webhook), firstId)
    local state, run = unpack(redis.call('HMGET', keyOf('delivery', webhook .. '/' .. firstId), 'state', 'run'))
    if dueAtMs and state == 'queued' then
      scheduled[#scheduled + 1] = {id, run, math.max(0, dueAtMs - now)}
    end
  end
  return answer('duplicate', firstId, #webhookIds, scheduled)
`,
});
