/**
 * `endSession(liveKey, orderKey, sessionId)`: a session lives while it is in `live`, so this ends it.
 *
 * Its own hash need not be touched, and so not be known: the cap ends sessions whose keys no caller has
 * passed, and `revokeAll` ends all of them by one DEL. The hash stays as a tombstone until the session
 * would have ended. Neither ZREM nor DEL is refused for want of memory: a full Redis still revokes.
 */
export const END_SESSION = `
local function endSession(liveKey, orderKey, sessionId)
  redis.call('ZREM', liveKey, sessionId)
  redis.call('ZREM', orderKey, sessionId)
end
`;
