import { defineFragment } from '../../define-fragment.ts';

/**
 * How much longer a key lives than the record in it is valid, ms. So scripts still find expired records and can report
 * them, and a session that is refreshed often needs few PEXPIREs.
 */
export const LINGER_MS = 3_600_000;

/**
 * `extendTtl(key, untilMs)`: makes a key live at least until `untilMs`. Returns whether it extended the time to live,
 * which it never shortens because several records may share a key.
 *
 * It uses PEXPIRE rather than PEXPIREAT, as `now` may be the time of a test. Redis replicates both as a date.
 *
 * Outer values: `now`.
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
