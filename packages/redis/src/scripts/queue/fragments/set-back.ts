import { defineFragment } from '../../../define-fragment.ts';
import { DIGITS } from '../../fragments/digits.ts';
import { KEY_OF } from '../../webhooks/fragments/key-of.ts';

/**
 * `setBack(leaseMs)`: handles a clock that was set back, as when another server has taken over. Webhooks that wait for
 * a future time are due now, and their backoff ends; the next claim postpones those that cannot start yet. Leases are
 * cut to the length of one that begins now.
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
