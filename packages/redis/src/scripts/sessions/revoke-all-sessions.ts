import { defineScript } from '../../define-script.ts';
import type { UserKeys } from '../../keyspace.ts';
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

export async function revokeAllSessions(call: CallScript, keys: UserKeys): Promise<void> {
  const reply = await call(script, keys, {});
  reply.expectOutcome('ended');
}
