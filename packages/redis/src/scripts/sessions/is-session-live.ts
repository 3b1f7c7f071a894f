import { defineScript } from '../../define-script.ts';
import type { UserKeys } from '../../keyspace.ts';
import type { CallScript } from '../../script-caller.ts';
import { ASSERT_MASTER } from '../fragments/assert-master.ts';

/**
 * Returns whether a session is live.
 *
 * Outcomes: `live`, `over`.
 *
 * It is a script although it only reads: it uses the time of Redis, and only masters run it. A plain read may go to a
 * replica (`scaleReads` of ioredis), where a revoked session is still live for a while.
 */
const script = defineScript({
  name: 'is-session-live',
  keys: ['live'],
  args: { sessionId: 'text' },
  uses: [ASSERT_MASTER],
  lua: `
assertMaster('ZREM', liveKey)
local endsAtMs = redis.call('ZSCORE', liveKey, sessionId)
return answer(endsAtMs and now < tonumber(endsAtMs) and 'live' or 'over')
`,
});

export async function isSessionLive(
  call: CallScript,
  keys: UserKeys,
  sessionId: string,
): Promise<boolean> {
  const reply = await call(script, keys, { sessionId });
  return reply.outcome(['live', 'over']) === 'live';
}
