import { defineScript } from '../../define-script.ts';
import type { CallScript } from '../../script-caller.ts';
import type { StartupKeys } from '../../startup-keyspace.ts';

/**
 * Writes what nobody reads: a replica, a full memory, a disk that fails and a master without replicas reject a login,
 * and a command that only reads would not notice.
 *
 * Outcomes: `written`.
 */
const script = defineScript({
  name: 'write-ping',
  keys: ['ping'],
  args: {},
  lua: `
redis.call('SET', pingKey, '1', 'PX', 1000)
return answer('written')
`,
});

export async function writePing(call: CallScript, { ping }: StartupKeys): Promise<void> {
  const reply = await call(script, { ping }, {});
  reply.outcome(['written']);
}
