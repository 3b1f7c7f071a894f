import { defineFragment } from '../../define-fragment.ts';
import { KEEP_UNTIL, LINGER_MS } from './keep-until.ts';

/**
 * `touchSession(keys, sessionId, endsAtMs)` restarts the idle time of a session at a login. `keepSession` does so at a
 * rotation, where the caller updates `order` itself.
 *
 * The key `live` must outlive every record, since a record that is not in it counts as revoked. It gets more extra time
 * than `order`, so while `order` lives long enough, `live` does too and needs no command.
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
