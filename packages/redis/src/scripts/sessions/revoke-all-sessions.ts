import { defineScript } from '../../define-script.ts';
import type { UserKeys } from '../../keyspace.ts';
import type { CallScript } from '../../script-caller.ts';
import { NEXT_SESSION_VERSION } from '../fragments/next-session-version.ts';

/**
 * Ends every session of a user, and every pending challenge.
 *
 * Outcomes: `ended`.
 */
const script = defineScript({
  name: 'revoke-all-sessions',
  keys: ['user', 'live', 'order'],
  args: {},
  uses: [NEXT_SESSION_VERSION],
  lua: `
nextSessionVersion({user = userKey, live = liveKey, order = orderKey})
return answer('ended')
`,
});

export async function revokeAllSessions(call: CallScript, keys: UserKeys): Promise<void> {
  const reply = await call(script, keys, {});
  reply.outcome(['ended']);
}
