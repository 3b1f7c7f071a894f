import { defineFragment } from '../../../define-fragment.ts';
import { DIGITS } from '../../fragments/digits.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';

/**
 * `handleClockSetBack(leaseMs)`: call it if the clock was set back, for example because another server has taken over.
 * Webhooks that wait for a future time are due now, and their backoff ends; claims postpone those that cannot start
 * yet. No lease ends later than one that begins now.
 *
 * Outer values: `now`, `rootKey`.
 */
export const HANDLE_CLOCK_SET_BACK = defineFragment({
  uses: [KEY_OF, DIGITS],
  lazyFunction: 'handleClockSetBack(leaseMs)',
  body: `
  local function lowerScores(key, atMs)
    local members = redis.call('ZRANGEBYSCORE', key, '(' .. digits(atMs), '+inf')
    for _, member in ipairs(members) do redis.call('ZADD', key, digits(atMs), member) end
    return members
  end
  for _, webhook in ipairs(lowerScores(rootKey .. ':due', now)) do
    redis.call('HDEL', keyOf('webhook', webhook), 'backoffUntilMs')
  end
  lowerScores(rootKey .. ':leases', now + leaseMs)
`,
});
