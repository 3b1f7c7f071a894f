import { defineFragment } from '../../define-fragment.ts';

/**
 * How much longer than its record a key lives, ms. So scripts still find expired records and can report them. A session
 * that is refreshed every minute needs a longer time to live only once an hour.
 */
export const LINGER_MS = 3_600_000;

/**
 * `extendTtl(key, untilMs)`: sets or extends the time to live of a key, unless the key lives until then. Returns
 * whether it had to. It never shortens the time because several records may share a key.
 *
 * It uses PEXPIRE rather than PEXPIREAT, as `now` may be the time of a test. Redis replicates both as a date.
 */
export const EXTEND_TTL = defineFragment({
  lua: `
local function extendTtl(key, untilMs)
  local ttlMs = untilMs - now
  if redis.call('PTTL', key) >= ttlMs then return false end
  redis.call('PEXPIRE', key, ttlMs + ${LINGER_MS})
  return true
end
`,
});
