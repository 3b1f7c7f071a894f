import { END_SESSION } from './end-session.ts';
import { KEEP_UNTIL, LINGER_MS } from './keep-until.ts';
import { READ_SESSION } from './read-session.ts';
import { TOUCH_SESSION } from './touch-session.ts';

/**
 * `startSession(keys, session, maxPerUser)`: what a login without a second factor and the right answer to a
 * challenge have in common. Answers the new record, or the one that the id has already.
 *
 * Whom the cap ends is decided before the new session is in, so that a tie within one millisecond cannot
 * end that one. Sessions whose time is over make room first: they leave `order`, and `live` when their record
 * is gone, since what is not in `live` was revoked.
 */
export const START_SESSION = `
${KEEP_UNTIL}
${READ_SESSION}
${TOUCH_SESSION}
${END_SESSION}
local function startSession(keys, session, maxPerUser)
  local known = readSession(keys.session)
  if known then return known end

  -- First: a full Redis refuses a script by its first write, and lets all through behind one that frees memory.
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

  touchSession(keys, session.id, expiresAtMs, session.idleMs)
  return {session.grant, now, expiresAtMs, now, 1}
end
`;
