import { defineScript } from '../../define-script.ts';
import type { SessionMethod } from '../../store-methods.ts';
import { END_ALL_SESSIONS } from '../fragments/end-all-sessions.ts';
import { EXTEND_TTL, LINGER_MS } from '../fragments/extend-ttl.ts';

/**
 * Ends every session of a user except one, and every pending challenge. The same script restores the kept session to
 * the sorted sets, so that no other call finds it missing. If the session to keep is not live, all sessions end.
 *
 * Outcomes: `ended`.
 */
const script = defineScript({
  name: 'revoke-other-sessions',
  keys: ['user', 'live', 'order'],
  args: { sessionId: 'text' },
  uses: [END_ALL_SESSIONS, EXTEND_TTL],
  lua: `
local endsAtMs = tonumber(redis.call('ZSCORE', liveKey, sessionId) or '')
local rotatedAtMs = redis.call('ZSCORE', orderKey, sessionId)
local isLive = endsAtMs and now < endsAtMs
endAllSessions({user = userKey, live = liveKey, order = orderKey}, isLive and sessionId)
if isLive then
  redis.call('ZADD', liveKey, endsAtMs, sessionId)
  redis.call('ZADD', orderKey, rotatedAtMs, sessionId)
  -- The key live must outlive every record: see extendSessionTtl.
  extendTtl(orderKey, endsAtMs)
  extendTtl(liveKey, endsAtMs + ${2 * LINGER_MS})
end
return reply('ended')
`,
});

export const revokeOtherSessions: SessionMethod<'revokeOthers'> =
  ({ call, keyspace }) =>
  async ({ userId, sessionId }) => {
    const reply = await call(script, keyspace.ofUser(userId), { sessionId });
    reply.expectOutcome('ended');
  };
