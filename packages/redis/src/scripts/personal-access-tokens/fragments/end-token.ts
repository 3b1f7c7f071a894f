/**
 * Far longer than a command can be under way: its caller gives up, and the late-landing guard with it. No longer,
 * or whoever makes and revokes tokens in a loop fills Redis, whatever the cap.
 */
const TOMBSTONE_MS = 60_000;

/**
 * `endToken(userId, tokenHash)`: a token lives while it is among those of its user, so this ends it. Needs
 * `tokenKey` and `liveKey`.
 *
 * Its hash stays for a while, so that a re-sent `create` finds it, and revives nothing. Neither ZREM nor
 * PEXPIRE is refused for want of memory: a full Redis still revokes.
 */
export const END_TOKEN = `
local function endToken(userId, tokenHash)
  redis.call('ZREM', liveKey(userId), tokenHash)
  if redis.call('PTTL', tokenKey(tokenHash)) > ${TOMBSTONE_MS} then
    redis.call('PEXPIRE', tokenKey(tokenHash), ${TOMBSTONE_MS})
  end
end
`;
