import { LONGEST_PENDING_MS } from '@latchhook/core/storage';
import { defineFragment } from '../../define-fragment.ts';

/**
 * `overtaken(userKey, authenticationMs, earliestBeginMs)`: whether a `revokeAll` came after a login began that is about
 * to be stored: `superseded` where it did, `in_doubt` where it may have, else `nil`.
 *
 * `authenticationMs` is the age of the login when the command was sent; by now it is older, by how much is not known
 * here. So it began at the latest that long ago, and at the earliest at `earliestBeginMs`, if the caller knows.
 */
export const OVERTAKEN = defineFragment({
  lua: `
local function overtaken(userKey, authenticationMs, earliestBeginMs)
  local revokedAllAtMs = tonumber(redis.call('HGET', userKey, 'revokedAllAtMs') or '')
  if not revokedAllAtMs then return nil end
  local latestMs = now - authenticationMs
  if latestMs <= revokedAllAtMs then return 'superseded' end
  local earliestMs = earliestBeginMs or latestMs - ${LONGEST_PENDING_MS}
  if earliestMs <= revokedAllAtMs then return 'in_doubt' end
end
`,
});
