import type { CodeAttemptLimits, ReserveOutcome } from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import type { ChallengeKeys } from '../../keyspace.ts';
import type { CallScript } from '../../script-caller.ts';
import { ASSERT_MASTER } from '../fragments/assert-master.ts';
import { FIND_CHALLENGE } from '../fragments/find-challenge.ts';
import { KEEP_USER } from '../fragments/keep-user.ts';

/**
 * Counts an attempt as failed before the code is verified; `completeChallenge` clears the count.
 *
 * Outcomes: `reserved`, with the context, the remaining attempts, the end of the lock if this attempt fails (0: none)
 * and the time; `locked`, with the time to wait and whether it is a suspension (1); `gone`.
 *
 * One script checks that an attempt is left and counts it. Otherwise a hundred parallel guesses could all use the last
 * attempt.
 */
const script = defineScript({
  name: 'reserve-attempt',
  keys: ['challenge', 'user'],
  args: {
    perChallenge: 'number',
    perUser: 'number',
    lockMs: 'number',
    maxLockMs: 'number',
    suspendAfter: 'number',
  },
  uses: [ASSERT_MASTER, FIND_CHALLENGE, KEEP_USER],
  lua: `
local suspended, lockEndsAtMs, sessionVersion = unpack(
  redis.call('HMGET', userKey, 'suspended', 'lockedUntilMs', 'sessionVersion'))
-- A suspension has no end, so the longest lock is returned as the time to wait.
if suspended then return answer('locked', maxLockMs, 1) end
local lockedForMs = tonumber(lockEndsAtMs or '0') - now
if lockedForMs > 0 then return answer('locked', lockedForMs, 0) end

local challenge = findChallenge(challengeKey, sessionVersion)
-- An exhausted challenge is kept, as its last reserved attempt may still be completed.
if not challenge or challenge.usedBy or challenge.attempts >= perChallenge then
  assertMaster('HDEL', userKey)
  return answer('gone')
end

redis.call('HINCRBY', challengeKey, 'attempts', 1)
local failures = redis.call('HINCRBY', userKey, 'failures', 1)
local lockedUntilMs = 0
if failures >= suspendAfter then
  redis.call('HSET', userKey, 'suspended', 1)
  lockedUntilMs = now + maxLockMs
elseif failures % perUser == 0 then
  lockedUntilMs = now + math.min(maxLockMs, lockMs * 2 ^ (failures / perUser - 1))
end
if lockedUntilMs > 0 then redis.call('HSET', userKey, 'lockedUntilMs', lockedUntilMs) end
keepUser(userKey)
local remaining = perChallenge - challenge.attempts - 1
return answer('reserved', challenge.context, remaining, lockedUntilMs, now)
`,
});

export async function reserveAttempt(
  call: CallScript,
  keys: ChallengeKeys,
  limits: CodeAttemptLimits,
): Promise<ReserveOutcome> {
  const reply = await call(script, keys, limits);
  const outcome = reply.outcome(['reserved', 'locked', 'gone']);
  switch (outcome) {
    case 'reserved':
      return {
        outcome,
        context: JSON.parse(reply.text()),
        attemptsRemaining: reply.integer(),
        lockedUntilMs: reply.integer() || null,
        nowMs: reply.integer(),
      };
    case 'locked':
      return { outcome, retryAfterMs: reply.integer(), suspended: reply.integer() === 1 };
    case 'gone':
      return { outcome };
  }
}
