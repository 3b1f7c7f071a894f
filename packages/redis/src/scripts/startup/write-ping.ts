import { defineScript } from '../../define-script.ts';
import type { CallScript } from '../../script-caller.ts';
import type { StartupKeys } from '../../startup-keyspace.ts';

/**
 * Tests whether Redis accepts writes. A replica, full memory, a failing disk or a master without its replicas reject a
 * login, which a read would not detect.
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
