import type { CompleteOutcome, CompleteRequest } from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import type { ChallengeKeys, SessionKeys } from '../../keyspace.ts';
import type { CallScript } from '../../script-caller.ts';
import { parseSessionRecord, serialiseGrant } from '../../session-record.ts';
import { FIND_CHALLENGE } from '../fragments/find-challenge.ts';
import { FORGET_FAILURES } from '../fragments/forget-failures.ts';
import { KEEP_USER } from '../fragments/keep-user.ts';
import { READ_SESSION } from '../fragments/read-session.ts';
import { START_SESSION } from '../fragments/start-session.ts';

/**
 * Completes a challenge after a valid code: marks the challenge and the TOTP step as used, clears the failures, and
 * starts the session.
 *
 * `totpStep` is 0 for a recovery code. Outcomes: `completed`, with the session; `step_used`; `gone`.
 *
 * A completed challenge is marked, not deleted, so that a repeated call has the same result, and a repeated `create`
 * cannot reopen it.
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
  uses: [FIND_CHALLENGE, FORGET_FAILURES, KEEP_USER, READ_SESSION, START_SESSION],
  lua: `
local sessionVersion, lastStep = unpack(redis.call('HMGET', userKey, 'sessionVersion', 'totpStep'))
local challenge = findChallenge(challengeKey, sessionVersion)
if not challenge then return answer('gone') end
if challenge.usedBy then
  local endsAtMs = redis.call('ZSCORE', liveKey, sessionId)
  local isResent = challenge.usedBy == sessionId and endsAtMs and now < tonumber(endsAtMs)
  if isResent then return answer('completed', readSession(sessionKey)) end
  return answer('gone')
end

if totpStep > 0 then
  if totpStep <= tonumber(lastStep or '0') then return answer('step_used') end
  redis.call('HSET', userKey, 'totpStep', totpStep)
end
redis.call('HSET', challengeKey, 'usedBy', sessionId)
forgetFailures(userKey)
keepUser(userKey)
local keys = {session = sessionKey, live = liveKey, order = orderKey}
local session = {id = sessionId, grant = grant, idleMs = idleMs, absoluteMs = absoluteMs}
return answer('completed', startSession(keys, session, maxPerUser))
`,
});

export async function completeChallenge(
  call: CallScript,
  keys: ChallengeKeys & SessionKeys,
  request: CompleteRequest,
): Promise<CompleteOutcome> {
  const { session } = request;
  const reply = await call(script, keys, {
    totpStep: request.totpStep ?? 0,
    sessionId: session.sessionId,
    grant: serialiseGrant(session),
    idleMs: session.idleMs,
    absoluteMs: session.absoluteMs,
    maxPerUser: request.maxSessionsPerUser,
  });
  const outcome = reply.outcome(['completed', 'step_used', 'gone']);
  switch (outcome) {
    case 'completed':
      return { outcome, session: parseSessionRecord(reply.list()) };
    case 'step_used':
    case 'gone':
      return { outcome };
  }
}
