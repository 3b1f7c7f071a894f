import { defineFragment } from '../../define-fragment.ts';
import { EXTEND_TTL, LINGER_MS } from './extend-ttl.ts';

/**
 * `extendSessionTtl(keys, sessionId, endsAtMs)`: sets the time at which a session ends, at its start and at each
 * rotation. `keys` has the record of the session, `session`, and the sorted sets of its user: `live`, by the end of the
 * sessions, and `order`, by their last rotation.
 *
 * `live` must outlive the record of every session. A session with a record that is not in `live` counts as revoked, so
 * if `live` expired first, the next refresh would return `revoked` instead of `expired`.
 *
 * `live` is extended only together with `order`, so that most calls need no PEXPIRE for it. After such a call, `order`
 * is not extended for a session that ends up to `LINGER_MS` later, and the record of that session lives up to
 * `LINGER_MS` longer than the session. So `live` gets twice `LINGER_MS` more than `order`.
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
