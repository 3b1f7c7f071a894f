import { ENTOMB } from './entomb.ts';

/**
 * `endSession(liveKey, orderKey, sessionId)`: a session lives while it is in `live`, so this ends it.
 *
 * Neither ZREM nor PEXPIRE is refused for want of memory: a full Redis still revokes.
 */
export const END_SESSION = `
${ENTOMB}
local function endSession(liveKey, orderKey, sessionId)
  redis.call('ZREM', liveKey, sessionId)
  redis.call('ZREM', orderKey, sessionId)
  entomb(liveKey, sessionId)
end
`;
