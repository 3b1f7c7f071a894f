import { defineFragment } from '../../define-fragment.ts';

/**
 * `assertMaster(command, key)`: fails on a replica as a write does (READONLY), so that the client reconnects. For
 * scripts that may write nothing: a master that was demoted would answer them for as long as its connections last, and
 * not know what has been revoked since.
 *
 * It removes a member that never exists by `command`, HDEL or ZREM, which a master neither replicates nor rejects when
 * its memory is full. Other errors, such as that its disk or its replicas fail, are no reason not to read. Redis 6 has
 * no flag that would do the same. What a full memory must reject comes first: after any write, Redis lets it through.
 */
export const ASSERT_MASTER = defineFragment({
  lua: `
local function assertMaster(command, key)
  local removed = redis.pcall(command, key, '')
  if type(removed) == 'table' and removed.err:find('READONLY', 1, true) then error(removed.err, 0) end
end
`,
});
