import { defineFragment } from '../../define-fragment.ts';
import { SESSION } from '../../session-record.ts';
import { END_SESSION } from './end-session.ts';
import { EXTEND_SESSION_TTL } from './extend-session-ttl.ts';
import { LINGER_MS } from './extend-ttl.ts';
import { READ_SESSION } from './read-session.ts';

/**
 * `startSession(keys, session, maxPerUser)`: starts a session, after a login without a second factor or a completed
 * challenge. `keys` are those of `extendSessionTtl`; `session` has `id`, `grant`, `idleMs` and `absoluteMs`. Returns
 * the new record, or the existing record of this id.
 *
 * The sessions beyond the cap are ended before the new session is in `order`, so that a tie within one millisecond
 * cannot end the new one. Expired sessions are removed first: from `order` immediately, but from `live` only when their
 * record is gone because a session with a record that is not in `live` counts as revoked.
 *
 * Outer values: `now`.
 */
export const START_SESSION = defineFragment({
  uses: [END_SESSION, READ_SESSION, EXTEND_SESSION_TTL],
  lua: `
local function startSession(keys, session, maxPerUser)
  local existingSession = readSession(keys.session)
  if existingSession then return existingSession end

  -- This write comes first, so that Redis rejects the script when memory is full. After a command that frees memory,
  -- Redis would allow this write.
  local expiresAtMs = now + session.absoluteMs
  redis.call('HSET', keys.session, 'grant', session.grant, 'createdAtMs', now,
    'expiresAtMs', expiresAtMs, 'rotatedAtMs', now, 'generation', 1, 'replays', 0)

  for _, expired in ipairs(redis.call('ZRANGEBYSCORE', keys.live, '-inf', now)) do
    redis.call('ZREM', keys.order, expired)
  end
  redis.call('ZREMRANGEBYSCORE', keys.live, '-inf', now - ${LINGER_MS})
  local excess = redis.call('ZCOUNT', keys.live, '(' .. now, '+inf') + 1 - maxPerUser
  if excess > 0 then
    for _, oldest in ipairs(redis.call('ZRANGE', keys.order, 0, excess - 1)) do
      endSession(keys.live, keys.order, oldest)
    end
  end

  redis.call('ZADD', keys.order, now, session.id)
  extendSessionTtl(keys, session.id, math.min(expiresAtMs, now + session.idleMs))
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
