import { defineFragment } from '../../define-fragment.ts';

/**
 * How much longer than its record a key lives, ms. So scripts still find expired records and can report them, and a
 * session that is refreshed often needs few PEXPIREs.
 */
export const LINGER_MS = 3_600_000;

/**
 * `extendTtl(key, untilMs)`: makes a key live until then at least. Returns whether that needed a longer time to live.
 * It never shortens the time because several records may share a key.
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
