import { LONGEST_PENDING_MS } from '@latchhook/core/storage';
import { defineFragment } from '../../../define-fragment.ts';
import { READ_TOKEN } from './read-token.ts';

/**
 * `endToken(userId, tokenHash)`: ends a token by removing it from `live` of its user.
 *
 * The record stays for as long as a repeated `create` may be pending: such a call finds the record and does not revive
 * the token. If records stayed longer, a client that creates and revokes tokens in a loop could fill Redis in spite of
 * the limit. Revocation works even when memory is full because Redis then still allows ZREM and PEXPIRE.
 */
export const END_TOKEN = defineFragment({
  uses: [READ_TOKEN],
  lua: `
local function endToken(userId, tokenHash)
  redis.call('ZREM', liveKey(userId), tokenHash)
  if redis.call('PTTL', tokenKey(tokenHash)) > ${LONGEST_PENDING_MS} then
    redis.call('PEXPIRE', tokenKey(tokenHash), ${LONGEST_PENDING_MS})
  end
end
`,
});
