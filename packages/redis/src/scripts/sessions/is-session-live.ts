import { defineScript } from '../../define-script.ts';
import type { SessionMethod } from '../../store-methods.ts';
import { FAIL_ON_REPLICA } from '../fragments/fail-on-replica.ts';

/**
 * Returns whether a session is live.
 *
 * Outcomes: `live`, `over`.
 *
 * It only reads, but is a script because scripts use the time of Redis and run on masters only. A plain read may go to
 * a replica (`scaleReads` of ioredis), where a revoked session is still live for a while.
 */
const script = defineScript({
  name: 'is-session-live',
  keys: ['live'],
  args: { sessionId: 'text' },
  uses: [FAIL_ON_REPLICA],
  lua: `
failOnReplica('zset', liveKey)
local endsAtMs = redis.call('ZSCORE', liveKey, sessionId)
local isLive = endsAtMs and now < tonumber(endsAtMs)
return reply(isLive and 'live' or 'over')
`,
});

export const isSessionLive: SessionMethod<'isLive'> =
  ({ call, keyspace }) =>
  async ({ userId, sessionId }) => {
    const reply = await call(script, keyspace.ofUser(userId), { sessionId });
    return reply.outcome(['live', 'over']) === 'live';
  };
