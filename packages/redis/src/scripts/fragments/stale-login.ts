import { LONGEST_PENDING_MS } from '@latchhook/core/storage';
import { defineFragment } from '../../define-fragment.ts';

/**
 * `staleLogin(userKey, loginAgeMs, earliestBeginMs)`: returns `stale_login` if a `revokeAll` has run since the
 * beginning of the login that is being stored, `needs_retry` if one may have run, else `nil`.
 *
 * `loginAgeMs` is the age of the login when the command was sent. How long the command was pending is unknown, so
 * this age gives only the latest time at which the login can have begun. `earliestBeginMs` is the earliest such time,
 * if the caller knows it.
 *
 * Outer values: `now`.
 */
export const STALE_LOGIN = defineFragment({
  lua: `
local function staleLogin(userKey, loginAgeMs, earliestBeginMs)
  local revokedAllAtMs = tonumber(redis.call('HGET', userKey, 'revokedAllAtMs') or '')
  if not revokedAllAtMs then return nil end
  local latestMs = now - loginAgeMs
  if latestMs <= revokedAllAtMs then return 'stale_login' end
  local earliestMs = earliestBeginMs or latestMs - ${LONGEST_PENDING_MS}
  if earliestMs <= revokedAllAtMs then return 'needs_retry' end
end
`,
});
