import { defineFragment } from '../../define-fragment.ts';

/**
 * `assertMaster(command, key)`: fails on a replica like a write (READONLY), so that the client reconnects. For scripts
 * that may not write anything else: a demoted master would run them while its connections last, without the revocations
 * since.
 *
 * It removes a member that never exists with `command`, HDEL or ZREM, which a master neither replicates nor rejects
 * when its memory is full. Other errors, for example of its disk or replicas, do not prevent reading. Redis 6 has no
 * flag with this effect. Call it after writes that must fail when memory is full, as Redis allows all writes after this
 * one.
 */
export const ASSERT_MASTER = defineFragment({
  lua: `
local function assertMaster(command, key)
  local removed = redis.pcall(command, key, '')
  if type(removed) == 'table' and removed.err:find('READONLY', 1, true) then error(removed.err, 0) end
end
`,
});
