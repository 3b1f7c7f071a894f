import type { InstanceLifetime, StoreInstance } from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import type { CallScript } from '../../script-caller.ts';
import type { StartupKeys } from '../../startup-keyspace.ts';

/**
 * Registers an instance that uses this Redis, and removes expired ones. It is one script, so that of two instances that
 * join at once the second finds the first.
 *
 * Outcomes: `joined`, with the configurations of the others.
 */
const script = defineScript({
  name: 'join-instances',
  keys: ['instances'],
  args: { instanceId: 'text', configuration: 'text', ttlMs: 'number' },
  lua: `
redis.call('ZREMRANGEBYSCORE', instancesKey, '-inf', now)
local others = {}
local own = instanceId .. ' '
for _, instance in ipairs(redis.call('ZRANGE', instancesKey, 0, -1)) do
  if string.sub(instance, 1, #own) == own then
    redis.call('ZREM', instancesKey, instance)
  else
    others[#others + 1] = string.sub(instance, string.find(instance, ' ', 1, true) + 1)
  end
end
redis.call('ZADD', instancesKey, now + ttlMs, own .. configuration)
if redis.call('PTTL', instancesKey) < ttlMs then redis.call('PEXPIRE', instancesKey, ttlMs) end
return answer('joined', others)
`,
});

export async function joinInstances(
  call: CallScript,
  { instances }: StartupKeys,
  { instanceId, configuration, ttlMs }: StoreInstance & InstanceLifetime,
): Promise<readonly string[]> {
  const reply = await call(script, { instances }, { instanceId, configuration, ttlMs });
  reply.outcome(['joined']);
  return [...reply.list().texts()];
}
