/**
 * Far longer than a command can be under way: its caller gives up before, and the late-landing guard refuses it then.
 * Not longer, or a client that makes and revokes tokens in a loop could fill Redis in spite of the cap.
 */
const TOMBSTONE_MS = 60_000;

/**
 * `endToken(userId, tokenHash)`: a token lives while it is in `live` of its user, so this ends it. Needs `tokenKey` and
 * `liveKey`.
 *
 * Its hash stays for a while, so that a `create` that is sent again finds it and revives nothing. A full Redis refuses
 * neither ZREM nor PEXPIRE, so it still revokes.
 */
export const END_TOKEN = `
local function endToken(userId, tokenHash)
  redis.call('ZREM', liveKey(userId), tokenHash)
  if redis.call('PTTL', tokenKey(tokenHash)) > ${TOMBSTONE_MS} then
    redis.call('PEXPIRE', tokenKey(tokenHash), ${TOMBSTONE_MS})
  end
end
`;
