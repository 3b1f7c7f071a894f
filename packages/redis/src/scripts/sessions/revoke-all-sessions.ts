import { defineScript } from '../../define-script.ts';
import type { SessionMethod } from '../../store-methods.ts';
import { END_ALL_SESSIONS } from '../fragments/end-all-sessions.ts';

/**
 * Ends every session of a user, and every pending challenge.
 *
 * Outcomes: `ended`.
 */
const script = defineScript({
  name: 'revoke-all-sessions',
  keys: ['user', 'live', 'order'],
  args: {},
  uses: [END_ALL_SESSIONS],
  lua: `
endAllSessions({user = userKey, live = liveKey, order = orderKey})
return reply('ended')
`,
});

export const revokeAllSessions: SessionMethod<'revokeAll'> =
  ({ call, keyspace }) =>
  async (userId) => {
    const reply = await call(script, keyspace.ofUser(userId), {});
    reply.expectOutcome('ended');
  };
