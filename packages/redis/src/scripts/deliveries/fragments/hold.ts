import { defineFragment } from '../../../define-fragment.ts';
import { KEEP_UNTIL } from '../../fragments/keep-until.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';
import { COUNTED_LINES } from './counted-lines.ts';

/** `hold(webhook, id, sequence, expiresAtMs)`: a delivery waits until its webhook is enabled. */
export const HOLD = defineFragment({
  uses: [KEY_OF, KEEP_UNTIL, COUNTED_LINES],
  rareFunction: 'hold(webhook, id, sequence, expiresAtMs)',
  body: `
  for _, kind in ipairs({'queued', 'parked', 'retries', 'parkedRetries', 'due', 'inFlight'}) do
    leave(kind, webhook, id)
  end
  redis.call('HSET', keyOf('delivery', webhook .. '/' .. id), 'state', 'held')
  local heldKey = keyOf('held', webhook)
  redis.call('ZADD', heldKey, sequence, id)
  keepUntil(heldKey, tonumber(expiresAtMs))
`,
});
