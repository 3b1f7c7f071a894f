import { LONGEST_PENDING_MS } from '@latchhook/core/storage';
import { defineFragment } from '../../../define-fragment.ts';
import { READ_TOKEN } from './read-token.ts';

/**
 * `endToken(userId, tokenHash)`: a token lives while it is in `live` of its user, so this ends it.
 *
 * Its hash stays for a while, so that a `create` that is sent again finds it and revives nothing. Not for longer, or a
 * client that makes and revokes tokens in a loop could fill Redis in spite of the cap. A full Redis rejects neither
 * ZREM nor PEXPIRE, so it still revokes.
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
