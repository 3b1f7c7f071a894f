import { defineScript } from '../../define-script.ts';
import type { UserKeys } from '../../keyspace.ts';
import type { CallScript } from '../../script-caller.ts';
import { KEEP_UNTIL, LINGER_MS } from '../fragments/keep-until.ts';
import { NEXT_SESSION_VERSION } from '../fragments/next-session-version.ts';

/**
 * Ends every session of a user except one, and every pending challenge. The same script restores the kept session to
 * its sets, so that no other call finds it missing. If it is not live, all sessions end.
 *
 * Outcomes: `ended`.
 */
const script = defineScript({
  name: 'revoke-other-sessions',
  keys: ['user', 'live', 'order'],
  args: { sessionId: 'text' },
  uses: [NEXT_SESSION_VERSION, KEEP_UNTIL],
  lua: `
local endsAtMs = tonumber(redis.call('ZSCORE', liveKey, sessionId) or '')
local rotatedAtMs = redis.call('ZSCORE', orderKey, sessionId)
local isLive = endsAtMs and now < endsAtMs
nextSessionVersion({user = userKey, live = liveKey, order = orderKey}, isLive and sessionId)
if isLive then
  redis.call('ZADD', liveKey, endsAtMs, sessionId)
  redis.call('ZADD', orderKey, rotatedAtMs, sessionId)
  keepUntil(orderKey, endsAtMs)
  keepUntil(liveKey, endsAtMs + ${2 * LINGER_MS})
end
return answer('ended')
`,
});

export async function revokeOtherSessions(
  call: CallScript,
  keys: UserKeys,
  sessionId: string,
): Promise<void> {
  const reply = await call(script, keys, { sessionId });
  reply.outcome(['ended']);
}
