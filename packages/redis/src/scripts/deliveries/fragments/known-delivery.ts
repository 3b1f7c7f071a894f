import { defineFragment } from '../../../define-fragment.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';

/**
 * `knownDelivery(webhook, id)`: `id`, `state`, `run`, `sequence`, `expiresAtMs` and `notBeforeMs` of a delivery, or
 * `nil` where it is forgotten.
 */
export const KNOWN_DELIVERY = defineFragment({
  uses: [KEY_OF],
  lua: `
local function knownDelivery(webhook, id)
  local state, run, sequence, expiresAtMs, notBeforeMs = unpack(redis.call('HMGET',
    keyOf('delivery', webhook .. '/' .. id), 'state', 'run', 'sequence', 'expiresAtMs', 'notBeforeMs'))
  if not state or now >= tonumber(expiresAtMs) then return nil end
  return {id = id, state = state, run = run, sequence = sequence, expiresAtMs = expiresAtMs, notBeforeMs = notBeforeMs}
end
`,
});
