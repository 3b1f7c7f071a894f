import { LONGEST_PENDING_MS } from '@latchhook/core/storage';
import { defineFragment } from '../../define-fragment.ts';

/**
 * `staleLogin(userKey, authenticationMs, earliestBeginMs)`: whether a `revokeAll` came after a login began that is
 * about to be stored: `stale_login` where it did, `needs_retry` where it may have, else `nil`.
 *
 * `authenticationMs` is the age of the login when the command was sent; by now it is older, by how much is not known
 * here. So it began at the latest that long ago, and at the earliest at `earliestBeginMs`, if the caller knows.
 */
export const STALE_LOGIN = defineFragment({
  lua: `
local function staleLogin(userKey, authenticationMs, earliestBeginMs)
  local revokedAllAtMs = tonumber(redis.call('HGET', userKey, 'revokedAllAtMs') or '')
  if not revokedAllAtMs then return nil end
  local latestMs = now - authenticationMs
  if latestMs <= revokedAllAtMs then return 'stale_login' end
  local earliestMs = earliestBeginMs or latestMs - ${LONGEST_PENDING_MS}
  if earliestMs <= revokedAllAtMs then return 'needs_retry' end
end
`,
});
