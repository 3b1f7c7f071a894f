import { defineFragment } from '../../define-fragment.ts';
import { KEEP_TOMBSTONE } from './keep-tombstone.ts';

/**
 * `endSession(liveKey, orderKey, sessionId)`: a session lives while it is in `live`, so this ends it.
 *
 * A full Redis rejects neither ZREM nor PEXPIRE, so it still revokes.
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
