import { defineFragment } from '../../define-fragment.ts';
import { SESSION } from '../../session-record.ts';
import { END_SESSION } from './end-session.ts';
import { LINGER_MS } from './keep-until.ts';
import { READ_SESSION } from './read-session.ts';
import { TOUCH_SESSION } from './touch-session.ts';

/**
 * `startSession(keys, session, maxPerUser)`: starts a session, for a login without a second factor or after the right
 * answer to a challenge. Returns the new record, or the one that the id has already.
 *
 * Which sessions the cap ends is decided before the new one is stored, so that a tie within one millisecond cannot end
 * that. Expired sessions make room first: they leave `order` at once, but `live` only when their record is gone, since
 * a record without a place in `live` counts as revoked.
 */
export const START_SESSION = defineFragment({
  uses: [END_SESSION, READ_SESSION, TOUCH_SESSION],
  lua: `
local function startSession(keys, session, maxPerUser)
  local known = readSession(keys.session)
  if known then return known end

  -- The first write, so that a full Redis rejects the script: behind one that frees memory it would let this through.
  local expiresAtMs = now + session.absoluteMs
  redis.call('HSET', keys.session, 'grant', session.grant, 'createdAtMs', now,
    'expiresAtMs', expiresAtMs, 'rotatedAtMs', now, 'generation', 1, 'replays', 0)

  for _, over in ipairs(redis.call('ZRANGEBYSCORE', keys.live, '-inf', now)) do
    redis.call('ZREM', keys.order, over)
  end
  redis.call('ZREMRANGEBYSCORE', keys.live, '-inf', now - ${LINGER_MS})
  local excess = redis.call('ZCOUNT', keys.live, '(' .. now, '+inf') + 1 - maxPerUser
  if excess > 0 then
    for _, oldest in ipairs(redis.call('ZRANGE', keys.order, 0, excess - 1)) do
      endSession(keys.live, keys.order, oldest)
    end
  end

  touchSession(keys, session.id, math.min(expiresAtMs, now + session.idleMs))
  return ${SESSION.of({
    grant: 'session.grant',
    createdAtMs: 'now',
    expiresAtMs: 'expiresAtMs',
    rotatedAtMs: 'now',
    generation: '1',
  })}
end
`,
});
