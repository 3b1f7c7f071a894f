import { defineFragment } from '../../define-fragment.ts';

/**
 * An hour: far longer than `LONGEST_PENDING_MS`, which alone is needed, so that most refreshes of an ended session are
 * answered `revoked` rather than `unknown`, for the log. Not longer, as it is memory.
 */
const TOMBSTONE_MS = 3_600_000;

/**
 * `keepTombstone(liveKey, sessionId)`: keeps the hash of an ended session for an hour, so that a `create` that is sent
 * again finds it and revives nothing, and a refresh is answered `revoked`. If it stayed until the session would have
 * expired, a client that logs in over and over could fill Redis in spite of the cap.
 *
 * The cap and `revokeAll` end sessions whose keys no caller can know, so the key is built here: the same slot and the
 * same prefix of the client, as with webhooks (`docs/adr/0004-keep-what-a-transition-touches-in-one-hash-slot.md`).
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
