import { defineFragment } from '../../define-fragment.ts';

/**
 * How long the record of an ended session is stored, ms: an hour. `LONGEST_PENDING_MS` would be enough for repeated
 * calls; with an hour, most refreshes of an ended session are logged as `revoked` rather than `unknown`. A longer time
 * would cost memory.
 */
const TOMBSTONE_MS = 3_600_000;

/**
 * `shortenSessionTtl(liveKey, sessionId)`: lets the record of an ended session expire in an hour. Until then a repeated
 * `create` finds the record and does not revive the session, and a refresh returns `revoked`. If records stayed until
 * their sessions would have expired, a client that logs in over and over could fill Redis in spite of the cap on live
 * sessions.
 *
 * The cap and `revokeAll` end sessions whose keys the caller does not know, so this function builds the session's key.
 * The key has the same slot and client prefix as `liveKey`: `latchhook:{tag}:live` leads to
 * `latchhook:{tag}:session:<id>` (`docs/adr/0004-keep-what-a-transition-touches-in-one-hash-slot.md`).
 */
export const SHORTEN_SESSION_TTL = defineFragment({
  lua: `
local function shortenSessionTtl(liveKey, sessionId)
  local sessionKey = liveKey:sub(1, -#'live' - 1) .. 'session:' .. sessionId
  if redis.call('PTTL', sessionKey) > ${TOMBSTONE_MS} then
    redis.call('PEXPIRE', sessionKey, ${TOMBSTONE_MS})
  end
end
`,
});
