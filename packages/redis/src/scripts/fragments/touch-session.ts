import { defineFragment } from '../../define-fragment.ts';
import { KEEP_UNTIL, LINGER_MS } from './keep-until.ts';

/**
 * `touchSession(keys, sessionId, endsAtMs)`: restarts the idle time of a session, at a login; at a rotation
 * `keepSession`, which leaves its place in `order` to the caller.
 *
 * `live` outlives every record, since a record without a place in it counts as revoked. It outlives `order` by more
 * than a record does, so where that lives long enough, both do.
 */
export const TOUCH_SESSION = defineFragment({
  uses: [KEEP_UNTIL],
  lua: `
local function keepSession(keys, sessionId, endsAtMs)
  redis.call('ZADD', keys.live, endsAtMs, sessionId)
  keepUntil(keys.session, endsAtMs)
  if keepUntil(keys.order, endsAtMs) then keepUntil(keys.live, endsAtMs + ${2 * LINGER_MS}) end
end

local function touchSession(keys, sessionId, endsAtMs)
  redis.call('ZADD', keys.order, now, sessionId)
  keepSession(keys, sessionId, endsAtMs)
end
`,
});
