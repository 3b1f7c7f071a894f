/** Far longer than a command can be under way. */
const TOMBSTONE_MS = 3_600_000;

/**
 * `entomb(liveKey, sessionId)`: the hash of a session that was ended stays for an hour. A `create` that is sent
 * again finds it and revives nothing, and a refresh is told `revoked`. Were it to stay until the session would
 * have ended, somebody who logs in over and over would fill Redis, whatever the cap.
 *
 * The cap and `revokeAll` end sessions whose keys no caller can know, so the name is put together here: the same
 * slot, the same prefix of the client, as with webhooks (`docs/adr/0020-webhooks-share-one-hash-slot.md`).
 */
export const ENTOMB = `
local function entomb(liveKey, sessionId)
  local sessionKey = liveKey:sub(1, -#'live' - 1) .. 'session:' .. sessionId
  if redis.call('PTTL', sessionKey) > ${TOMBSTONE_MS} then
    redis.call('PEXPIRE', sessionKey, ${TOMBSTONE_MS})
  end
end
`;
