/**
 * An hour longer than it counts: so it is the script that ends a thing, and can say that it is over, and a
 * session that is refreshed every minute is prolonged once an hour.
 */
export const LINGER_MS = 3_600_000;

/**
 * `keepUntil(key, untilMs)`: gives a key a time to live, or prolongs it. It never shortens one, since several
 * things may share a key.
 *
 * By a length, not by a date, as `now` may be a test's own. Redis replicates the date either way.
 */
export const KEEP_UNTIL = `
local function keepUntil(key, untilMs)
  local ttlMs = untilMs - now
  if redis.call('PTTL', key) < ttlMs then redis.call('PEXPIRE', key, ttlMs + ${LINGER_MS}) end
end
`;
