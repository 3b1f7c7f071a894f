import { defineFragment } from '../../define-fragment.ts';

/**
 * `findChallenge(challengeKey, epoch)`: the challenge, if it has not expired and no `revokeAll` came since, or `nil`.
 */
export const FIND_CHALLENGE = defineFragment({
  lua: `
local function findChallenge(challengeKey, epoch)
  local found = redis.call('HMGET', challengeKey,
    'context', 'expiresAtMs', 'epoch', 'attempts', 'usedBy')
  if not found[1] or now >= tonumber(found[2]) or found[3] ~= (epoch or '0') then return nil end
  return {context = found[1], attempts = tonumber(found[4]), usedBy = found[5]}
end
`,
});
