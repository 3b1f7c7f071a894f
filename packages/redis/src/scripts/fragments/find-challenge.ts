import { defineFragment } from '../../define-fragment.ts';

/**
 * `findChallenge(challengeKey, sessionVersion)`: the challenge, or `nil` where it has expired or a `revokeAll` has run
 * since it began.
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
