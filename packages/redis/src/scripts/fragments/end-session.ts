import { defineFragment } from '../../define-fragment.ts';
import { SHORTEN_SESSION_TTL } from './shorten-session-ttl.ts';

/**
 * `endSession(liveKey, orderKey, sessionId)`: ends a session by removing it from `live`.
 *
 * Revocation works even when memory is full because Redis then still allows ZREM and PEXPIRE.
 */
export const END_SESSION = defineFragment({
  uses: [SHORTEN_SESSION_TTL],
  lua: `
local function endSession(liveKey, orderKey, sessionId)
  redis.call('ZREM', liveKey, sessionId)
  redis.call('ZREM', orderKey, sessionId)
  shortenSessionTtl(liveKey, sessionId)
end
`,
});
