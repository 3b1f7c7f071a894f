/** Far longer than a command can be under way: its caller gives up, and the late-landing guard with it. */
const LONGEST_UNDER_WAY_MS = 60_000;

/**
 * `overtaken(userKey, authenticationMs, agedAtMs)`: what a `revokeAll` has made of a login that is about to
 * be stored: `superseded`, `in_doubt`, or `nil` where it has nothing to do with it.
 *
 * The login was so old at the time `agedAtMs` of this clock. Where that is empty it was so old when the
 * command set out, and is older by now; by how much, nobody here knows.
 */
export const OVERTAKEN = `
local function overtaken(userKey, authenticationMs, agedAtMs)
  local revokedAllAtMs = tonumber(redis.call('HGET', userKey, 'revokedAllAtMs') or '')
  if not revokedAllAtMs then return nil end
  local beganAtMs = (tonumber(agedAtMs) or now) - authenticationMs
  if beganAtMs <= revokedAllAtMs then return 'superseded' end
  if agedAtMs == '' and beganAtMs - ${LONGEST_UNDER_WAY_MS} <= revokedAllAtMs then return 'in_doubt' end
end
`;
