import type { SessionStore } from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import type { Keyspace } from '../../keyspace.ts';
import type { CallScript } from '../../script-caller.ts';
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

export function revokeAllSessions(call: CallScript, keyspace: Keyspace): SessionStore['revokeAll'] {
  return async (userId) => {
    const reply = await call(script, keyspace.ofUser(userId), {});
    reply.expectOutcome('ended');
  };
}
