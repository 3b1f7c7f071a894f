import { defineScript } from '../../define-script.ts';
import { parseSessionRecord, serialiseGrant } from '../../session-record.ts';
import type { ChallengeMethod } from '../../store-methods.ts';
import { CLEAR_FAILURES } from '../fragments/clear-failures.ts';
import { EXTEND_USER_TTL } from '../fragments/extend-user-ttl.ts';
import { FIND_CHALLENGE } from '../fragments/find-challenge.ts';
import { READ_SESSION } from '../fragments/read-session.ts';
import { START_SESSION } from '../fragments/start-session.ts';

/**
 * Completes a challenge after a valid code: marks the challenge and the TOTP step as used, clears the failures, and
 * starts the session.
 *
 * `totpStep` is 0 for a recovery code. Outcomes: `completed`, with the session; `step_used`; `gone`.
 *
 * A completed challenge is marked, not deleted, so that a repeated call has the same result, and a repeated `create`
 * cannot start the challenge again.
 */
const script = defineScript({
  name: 'complete-challenge',
  keys: ['challenge', 'user', 'session', 'live', 'order'],
  args: {
    totpStep: 'number',
    sessionId: 'text',
    grant: 'text',
    idleMs: 'number',
    absoluteMs: 'number',
    maxPerUser: 'number',
  },
  uses: [FIND_CHALLENGE, CLEAR_FAILURES, EXTEND_USER_TTL, READ_SESSION, START_SESSION],
  lua: `
local sessionVersion, lastStep = unpack(redis.call('HMGET', userKey, 'sessionVersion', 'totpStep'))
local challenge = findChallenge(challengeKey, sessionVersion)
if not challenge then return reply('gone') end
if challenge.usedBy then
  local endsAtMs = redis.call('ZSCORE', liveKey, sessionId)
  local isRepeatedCall = challenge.usedBy == sessionId and endsAtMs and now < tonumber(endsAtMs)
  if isRepeatedCall then return reply('completed', readSession(sessionKey)) end
  return reply('gone')
end

if totpStep > 0 then
  if totpStep <= tonumber(lastStep or '0') then return reply('step_used') end
  redis.call('HSET', userKey, 'totpStep', totpStep)
end
redis.call('HSET', challengeKey, 'usedBy', sessionId)
clearFailures(userKey)
extendUserTtl(userKey)
local keys = {session = sessionKey, live = liveKey, order = orderKey}
local session = {id = sessionId, grant = grant, idleMs = idleMs, absoluteMs = absoluteMs}
return reply('completed', startSession(keys, session, maxPerUser))
`,
});

export const completeChallenge: ChallengeMethod<'complete'> =
  ({ call, keyspace }) =>
  async (request) => {
    const { userId, session } = request;
    // The key uses the challenge's user rather than the session's because all keys of a script must be in one slot.
    const sessionKeys = keyspace.ofSession({ userId, sessionId: session.sessionId });
    const reply = await call(
      script,
      { ...sessionKeys, ...keyspace.ofChallenge(request) },
      {
        totpStep: request.totpStep ?? 0,
        grant: serialiseGrant(session),
        maxPerUser: request.maxSessionsPerUser,
        ...session,
      },
    );
    const outcome = reply.outcome(['completed', 'step_used', 'gone']);
    return outcome === 'completed'
      ? { outcome, session: parseSessionRecord(reply.list()) }
      : { outcome };
  };
