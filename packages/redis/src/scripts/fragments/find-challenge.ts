import { defineFragment } from '../../define-fragment.ts';

/**
 * `findChallenge(challengeKey, session version)`: the challenge, if it has not expired and no `revokeAll` came since,
 * or `nil`.
 */
export const FIND_CHALLENGE = defineFragment({
  lua: `
local function findChallenge(challengeKey, sessionVersion)
  local context, expiresAtMs, begunIn, attempts, usedBy = unpack(
    redis.call('HMGET', challengeKey, 'context', 'expiresAtMs', 'sessionVersion', 'attempts', 'usedBy'))
  if not context or now >= tonumber(expiresAtMs) or begunIn ~= (sessionVersion or '0') then return nil end
  return {context = context, attempts = tonumber(attempts), usedBy = usedBy}
end
`,
});
