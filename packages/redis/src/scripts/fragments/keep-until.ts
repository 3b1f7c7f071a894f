import { defineFragment } from '../../define-fragment.ts';

/**
 * How much longer a key lives than it counts, ms. So scripts find what has expired, and can say so; and a session that
 * is refreshed every minute is prolonged only once an hour.
 */
export const LINGER_MS = 3_600_000;

/**
 * `keepUntil(key, untilMs)`: gives a key a time to live, or prolongs it, and returns whether it had to. It never
 * shortens one, since several records may share a key.
 *
 * PEXPIRE rather than PEXPIREAT, as `now` may be the time of a test. Redis replicates a date either way.
 */
export const KEEP_UNTIL = defineFragment({
  lua: `
local function keepUntil(key, untilMs)
  local ttlMs = untilMs - now
  if redis.call('PTTL', key) >= ttlMs then return false end
  redis.call('PEXPIRE', key, ttlMs + ${LINGER_MS})
  return true
end
`,
});
