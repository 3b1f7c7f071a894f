import { defineFragment } from '../../define-fragment.ts';

/**
 * How much longer than its record a key lives, ms. So scripts still find expired records and can report them, and a
 * session that is refreshed every minute has its time to live extended only once an hour.
 */
export const LINGER_MS = 3_600_000;

/**
 * `keepUntil(key, untilMs)`: sets or extends the time to live of a key, and returns whether it had to. It never
 * shortens it, since several records may share a key.
 *
 * It uses PEXPIRE rather than PEXPIREAT, as `now` may be the time of a test. Redis replicates either as a date.
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
