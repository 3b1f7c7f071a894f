import { defineFragment } from '../../define-fragment.ts';
import { EXTEND_TTL, LINGER_MS } from './extend-ttl.ts';

/**
 * `extendSessionTtl(keys, sessionId, endsAtMs)`: sets the time at which a session ends, at its start and at each
 * rotation.
 *
 * The key `live` must outlive the record of every session. A session with a record that is not in `live` counts as
 * revoked, so if `live` expired first, the next refresh would return `revoked` instead of `expired`. A record lives at
 * most `LINGER_MS` longer than its session. `live` gets twice `LINGER_MS` more than `order`, so that most calls need no
 * PEXPIRE for it: only those that extend `order` do.
 */
export const EXTEND_SESSION_TTL = defineFragment({
  uses: [EXTEND_TTL],
  lua: `
local function extendSessionTtl(keys, sessionId, endsAtMs)
  redis.call('ZADD', keys.live, endsAtMs, sessionId)
  extendTtl(keys.session, endsAtMs)
  if extendTtl(keys.order, endsAtMs) then extendTtl(keys.live, endsAtMs + ${2 * LINGER_MS}) end
end
`,
});
