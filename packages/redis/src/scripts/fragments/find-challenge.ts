import { defineFragment } from '../../define-fragment.ts';

/**
 * `findChallenge(challengeKey, sessionVersion)`: the challenge, or `nil` if it has expired or a `revokeAll` has run
 * since its creation. `sessionVersion` is the current session version of the user. `usedBy` of a completed challenge is
 * the id of the session that it started.
 *
 * Outer values: `now`.
 */
export const FIND_CHALLENGE = defineFragment({
  lua: `
local function findChallenge(challengeKey, sessionVersion)
  local context, expiresAtMs, createdInVersion, attempts, usedBy = unpack(
    redis.call('HMGET', challengeKey, 'context', 'expiresAtMs', 'sessionVersion', 'attempts', 'usedBy'))
  if not context or now >= tonumber(expiresAtMs) or createdInVersion ~= (sessionVersion or '0') then
    return nil
  end
  return {context = context, attempts = tonumber(attempts), usedBy = usedBy}
end
`,
});
