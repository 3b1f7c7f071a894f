import { defineFragment } from '../../../define-fragment.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';

/**
 * `putOff(webhook, id, kind, dueAtMs, untilMs)`: a late delivery of `due` or `inFlight` is to be asked for again at
 * `untilMs`, and not returned before. `dueAtMs` is its score in that set. Call `settleActive` afterwards.
 *
 * An attempt leaves `inFlight` once its lease is over, when it takes no room any more. If it stayed, every look would
 * read past those that were returned already. The hash of the delivery then says when the lease ended, which is how
 * long the attempt took. A removal comes first, so that a full Redis refuses nothing.
 */
export const PUT_OFF = defineFragment({
  uses: [KEY_OF],
  lua: `
local function putOff(webhook, id, kind, dueAtMs, untilMs)
  redis.call('ZREM', keyOf(kind, webhook), id)
  redis.call('ZADD', keyOf('due', webhook), untilMs, id)
  if kind == 'inFlight' then
    redis.call('HSET', keyOf('delivery', webhook .. '/' .. id), 'leaseEndedAtMs', dueAtMs)
  end
end
`,
});
