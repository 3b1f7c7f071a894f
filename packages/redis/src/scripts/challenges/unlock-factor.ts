import { defineScript } from '../../define-script.ts';
import type { UserKeys } from '../../keyspace.ts';
import type { CallScript } from '../../script-caller.ts';
import { FORGET_FAILURES } from '../fragments/forget-failures.ts';
import { KEEP_USER } from '../fragments/keep-user.ts';

/**
 * Clears the failed attempts of a user, and lifts a lock or a suspension.
 *
 * Outcomes: `unlocked`.
 */
const script = defineScript({
  name: 'unlock-factor',
  keys: ['user'],
  args: {},
  uses: [FORGET_FAILURES, KEEP_USER],
  lua: `
forgetFailures(userKey)
keepUser(userKey)
return answer('unlocked')
`,
});

export async function unlockFactor(call: CallScript, keys: UserKeys): Promise<void> {
  const reply = await call(script, keys, {});
  reply.outcome(['unlocked']);
}
