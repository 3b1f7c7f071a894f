import { defineScript } from '../../define-script.ts';
import type { CallScript } from '../../script-caller.ts';
import type { StartupKeys } from '../../startup-keyspace.ts';

/**
 * Removes an instance. It is found by prefix, as the members of the set end in a configuration that the caller does not
 * know.
 *
 * Outcomes: `removed`.
 */
const script = defineScript({
  name: 'leave-instances',
  keys: ['instances'],
  args: { instanceId: 'text' },
  lua: `
local own = instanceId .. ' '
for _, instance in ipairs(redis.call('ZRANGE', instancesKey, 0, -1)) do
  if string.sub(instance, 1, #own) == own then redis.call('ZREM', instancesKey, instance) end
end
return answer('removed')
`,
});

export async function leaveInstances(
  call: CallScript,
  { instances }: StartupKeys,
  instanceId: string,
): Promise<void> {
  const reply = await call(script, { instances }, { instanceId });
  reply.outcome(['removed']);
}
