import { defineFragment } from '../../define-fragment.ts';

/**
 * An hour. `LONGEST_PENDING_MS` would be enough for repeated calls; with an hour, most refreshes of an ended session
 * are logged as `revoked` rather than `unknown`. A longer time would cost memory.
 */
const TOMBSTONE_MS = 3_600_000;

/**
 * `keepTombstone(liveKey, sessionId)`: keeps the hash of an ended session for an hour, so that a repeated `create`
 * finds it and does not revive the session, and a refresh returns `revoked`. If the hash stayed until the session would
 * have expired, a client that logs in over and over could fill Redis in spite of the cap on live sessions.
 *
 * The cap and `revokeAll` end sessions whose keys the caller does not know, so the key is built here. It has the same
 * slot and client prefix as `liveKey` (`docs/adr/0004-keep-what-a-transition-touches-in-one-hash-slot.md`).
 */
export const KEEP_TOMBSTONE = defineFragment({
  lua: `
local function keepTombstone(liveKey, sessionId)
  local sessionKey = liveKey:sub(1, -#'live' - 1) .. 'session:' .. sessionId
  if redis.call('PTTL', sessionKey) > ${TOMBSTONE_MS} then
    redis.call('PEXPIRE', sessionKey, ${TOMBSTONE_MS})
  end
end
`,
});
