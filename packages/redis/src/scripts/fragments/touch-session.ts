import { defineFragment } from '../../define-fragment.ts';
import { KEEP_UNTIL, LINGER_MS } from './keep-until.ts';

/**
 * `touchSession(keys, sessionId, expiresAtMs, idleMs)`: restarts the idle time of a session, at a login or a
 * rotation.
 */
export const TOUCH_SESSION = defineFragment({
  uses: [KEEP_UNTIL],
  lua: `
local function touchSession(keys, sessionId, expiresAtMs, idleMs)
  local endsAtMs = math.min(expiresAtMs, now + idleMs)
  redis.call('ZADD', keys.live, endsAtMs, sessionId)
  redis.call('ZADD', keys.order, now, sessionId)
  for _, key in pairs(keys) do keepUntil(key, endsAtMs) end
  -- It outlives every record, since a record without a place in it counts as revoked.
  keepUntil(keys.live, endsAtMs + ${LINGER_MS})
end
`,
});
