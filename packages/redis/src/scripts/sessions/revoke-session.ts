import { defineScript } from '../../define-script.ts';
import type { SessionMethod } from '../../store-methods.ts';
import { END_SESSION } from '../fragments/end-session.ts';

/**
 * Ends one session.
 *
 * Outcomes: `ended` by this call; `over`, if the session had ended before.
 */
const script = defineScript({
  name: 'revoke-session',
  keys: ['live', 'order'],
  args: { sessionId: 'text' },
  uses: [END_SESSION],
  lua: `
local endsAtMs = redis.call('ZSCORE', liveKey, sessionId)
local wasLive = endsAtMs and now < tonumber(endsAtMs)
endSession(liveKey, orderKey, sessionId)
return reply(wasLive and 'ended' or 'over')
`,
});

export const revokeSession: SessionMethod<'revoke'> =
  ({ call, keyspace }) =>
  async ({ userId, sessionId }) => {
    const reply = await call(script, keyspace.ofUser(userId), { sessionId });
    return reply.outcome(['ended', 'over']) === 'ended';
  };
