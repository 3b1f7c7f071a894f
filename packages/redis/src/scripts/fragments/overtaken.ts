/** Far longer than a command can be under way: its caller gives up, and the late-landing guard with it. */
const LONGEST_UNDER_WAY_MS = 60_000;

/**
 * `overtaken(userKey, authenticationMs, earliestBeginMs)`: what a `revokeAll` has made of a login that is
 * about to be stored: `superseded`, `in_doubt`, or `nil` where it has nothing to do with it.
 *
 * The login was so old when the command set out, and is older by now; by how much, nobody here knows. So it
 * began at the latest so long ago, and at the earliest at `earliestBeginMs`: `nil` where the caller does not
 * know.
 */
export const OVERTAKEN = `
local function overtaken(userKey, authenticationMs, earliestBeginMs)
  local revokedAllAtMs = tonumber(redis.call('HGET', userKey, 'revokedAllAtMs') or '')
  if not revokedAllAtMs then return nil end
  local latestMs = now - authenticationMs
  if latestMs <= revokedAllAtMs then return 'superseded' end
  local earliestMs = earliestBeginMs or latestMs - ${LONGEST_UNDER_WAY_MS}
  if earliestMs <= revokedAllAtMs then return 'in_doubt' end
end
`;
