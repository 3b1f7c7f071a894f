import { defineScript } from '../../define-script.ts';
import type { StartupMethod } from '../../store-methods.ts';

/**
 * Removes an instance. The script finds it by its prefix because a member of the set ends in the configuration of its
 * instance, which the caller does not know.
 *
 * Outcomes: `removed`.
 */
const script = defineScript({
  name: 'leave-instances',
  keys: ['instances'],
  args: { instanceId: 'text' },
  lua: `
local prefix = instanceId .. ' '
for _, instance in ipairs(redis.call('ZRANGE', instancesKey, 0, -1)) do
  if string.sub(instance, 1, #prefix) == prefix then redis.call('ZREM', instancesKey, instance) end
end
return reply('removed')
`,
});

export const leaveInstances: StartupMethod<'leave'> =
  ({ call, startupKeys }) =>
  async (instanceId) => {
    const reply = await call(script, startupKeys, { instanceId });
    reply.expectOutcome('removed');
  };
