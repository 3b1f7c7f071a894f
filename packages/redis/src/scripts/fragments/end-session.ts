import { defineFragment } from '../../define-fragment.ts';
import { KEEP_TOMBSTONE } from './keep-tombstone.ts';

/**
 * `endSession(liveKey, orderKey, sessionId)`: ends a session by removing it from `live`.
 *
 * Redis allows ZREM and PEXPIRE even when its memory is full, so revocation still works.
 */
export const END_SESSION = defineFragment({
  uses: [KEEP_TOMBSTONE],
  lua: `
local function endSession(liveKey, orderKey, sessionId)
  redis.call('ZREM', liveKey, sessionId)
  redis.call('ZREM', orderKey, sessionId)
  keepTombstone(liveKey, sessionId)
end
`,
});
