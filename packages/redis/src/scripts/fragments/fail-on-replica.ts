import { defineFragment } from '../../define-fragment.ts';

/**
 * `failOnReplica(keyType, key)`: fails like a write (READONLY) if this Redis is a replica, so that the client
 * reconnects. On a master it changes nothing. `keyType` is `hash` or `zset`.
 *
 * Scripts that may write nothing else need it. Otherwise a demoted master, which does not know what was revoked since
 * its demotion, would run them while its connections last.
 *
 * It removes a member that never exists, which a master neither replicates nor rejects when its memory is full. Other
 * errors, for example of the disk or of replicas, do not prevent reading, and are ignored. Redis 6 has no flag with
 * this effect. Call it after writes that must fail when memory is full because Redis allows all writes after this one.
 */
export const FAIL_ON_REPLICA = defineFragment({
  lua: `
local function failOnReplica(keyType, key)
  local result = redis.pcall(keyType == 'hash' and 'HDEL' or 'ZREM', key, '')
  if type(result) == 'table' and result.err:find('READONLY', 1, true) then error(result.err, 0) end
end
`,
});
