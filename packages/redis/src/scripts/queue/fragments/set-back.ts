import { defineFragment } from '../../../define-fragment.ts';
import { DIGITS } from '../../fragments/digits.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';

/**
 * `setBack(leaseMs)`: the clock was set back, or another server with its own clock has taken over. What waits for a
 * time of the clock before is due, and its backoff over; whatever cannot start yet is put back at its next claim. No
 * lease is longer than one that begins now.
 */
export const SET_BACK = defineFragment({
  uses: [KEY_OF, DIGITS],
  rareFunction: 'setBack(leaseMs)',
  body: `
  local function pull(key, atMs)
    local later = redis.call('ZRANGEBYSCORE', key, '(' .. digits(atMs), '+inf')
    for _, member in ipairs(later) do redis.call('ZADD', key, digits(atMs), member) end
    return later
  end
  for _, webhook in ipairs(pull(rootKey .. ':due', now)) do
    redis.call('HDEL', keyOf('webhook', webhook), 'backoffUntilMs')
  end
  pull(rootKey .. ':leases', now + leaseMs)
`,
});
