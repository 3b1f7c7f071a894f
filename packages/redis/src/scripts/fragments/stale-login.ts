import { LONGEST_PENDING_MS } from '@latchhook/core/storage';
import { defineFragment } from '../../define-fragment.ts';

/**
 * `staleLogin(userKey, authenticationMs, earliestBeginMs)`: whether a `revokeAll` has run since the login that is being
 * stored began: `stale_login` where it has, `needs_retry` where it may have, else `nil`.
 *
 * `authenticationMs` is the age of the login when the command was sent. The command has been pending for an unknown
 * time since, so this age gives the latest time at which the login can have begun. `earliestBeginMs` is the earliest
 * one, if the caller knows it.
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
