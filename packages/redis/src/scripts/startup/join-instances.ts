import { defineScript } from '../../define-script.ts';
import type { StartupMethod } from '../../store-methods.ts';

/**
 * Registers an instance that uses this Redis, and removes expired instances.
 *
 * Outcomes: `joined`, with the configurations of the other instances.
 *
 * One script lists and adds. Otherwise two instances that join together could miss each other.
 */
const script = defineScript({
  name: 'join-instances',
  keys: ['instances'],
  args: { instanceId: 'text', configuration: 'text', ttlMs: 'number' },
  lua: `
redis.call('ZREMRANGEBYSCORE', instancesKey, '-inf', now)
-- A member is the instance's id, a space and its configuration. An earlier registration of this instance is replaced.
local others = {}
local prefix = instanceId .. ' '
for _, instance in ipairs(redis.call('ZRANGE', instancesKey, 0, -1)) do
  if string.sub(instance, 1, #prefix) == prefix then
    redis.call('ZREM', instancesKey, instance)
  else
    others[#others + 1] = string.sub(instance, string.find(instance, ' ', 1, true) + 1)
  end
end
redis.call('ZADD', instancesKey, now + ttlMs, prefix .. configuration)
if redis.call('PTTL', instancesKey) < ttlMs then redis.call('PEXPIRE', instancesKey, ttlMs) end
return reply('joined', others)
`,
});

export const joinInstances: StartupMethod<'join'> =
  ({ call, startupKeys }) =>
  async (instance) => {
    const reply = await call(script, startupKeys, instance);
    reply.expectOutcome('joined');
    return [...reply.list().texts()];
  };
