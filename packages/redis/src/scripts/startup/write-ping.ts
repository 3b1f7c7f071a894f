import { defineScript } from '../../define-script.ts';
import type { StartupMethod } from '../../store-methods.ts';

/**
 * Tests whether Redis accepts writes. It rejects them if it is a replica, its memory is full, its disk fails or its
 * replicas are missing; a read would detect none of these.
 *
 * Outcomes: `written`.
 */
const script = defineScript({
  name: 'write-ping',
  keys: ['ping'],
  args: {},
  lua: `
redis.call('SET', pingKey, '1', 'PX', 1000)
return reply('written')
`,
});

export const writePing: StartupMethod<'ping'> =
  ({ call, startupKeys }) =>
  async () => {
    const reply = await call(script, startupKeys, {});
    reply.expectOutcome('written');
  };
