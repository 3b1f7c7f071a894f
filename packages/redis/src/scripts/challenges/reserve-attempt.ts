import { defineScript } from '../../define-script.ts';
import type { ChallengeMethod } from '../../store-methods.ts';
import { EXTEND_USER_TTL } from '../fragments/extend-user-ttl.ts';
import { FAIL_ON_REPLICA } from '../fragments/fail-on-replica.ts';
import { FIND_CHALLENGE } from '../fragments/find-challenge.ts';

/**
 * Counts an attempt as failed before the code is verified; `completeChallenge` clears the count.
 *
 * Outcomes: `reserved`, with the context, the remaining attempts, the end of the lock that applies if this attempt
 * fails (0: no lock) and the current time; `locked`, with the time to wait and 1 for a suspension, else 0; `gone`.
 *
 * One script both checks that an attempt remains and counts the attempt. Otherwise a hundred parallel guesses could all
 * use the last attempt.
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
  uses: [FAIL_ON_REPLICA, FIND_CHALLENGE, EXTEND_USER_TTL],
  lua: `
local suspended, lockedUntilMs, sessionVersion = unpack(
  redis.call('HMGET', userKey, 'suspended', 'lockedUntilMs', 'sessionVersion'))
-- A suspension has no end, so the longest lock is returned as the time to wait.
if suspended then return reply('locked', maxLockMs, 1) end
local retryAfterMs = tonumber(lockedUntilMs or '0') - now
if retryAfterMs > 0 then return reply('locked', retryAfterMs, 0) end

local challenge = findChallenge(challengeKey, sessionVersion)
-- An exhausted challenge is kept, as its last reserved attempt may still be completed.
if not challenge or challenge.usedBy or challenge.attempts >= perChallenge then
  failOnReplica('hash', userKey)
  return reply('gone')
end

redis.call('HINCRBY', challengeKey, 'attempts', 1)
local failures = redis.call('HINCRBY', userKey, 'failures', 1)
local newLockedUntilMs = 0
if failures >= suspendAfter then
  redis.call('HSET', userKey, 'suspended', 1)
  newLockedUntilMs = now + maxLockMs
elseif failures % perUser == 0 then
  -- The second lock lasts twice as long as the first, the third twice as long as the second.
  newLockedUntilMs = now + math.min(maxLockMs, lockMs * 2 ^ (failures / perUser - 1))
end
if newLockedUntilMs > 0 then redis.call('HSET', userKey, 'lockedUntilMs', newLockedUntilMs) end
extendUserTtl(userKey)
local remaining = perChallenge - challenge.attempts - 1
return reply('reserved', challenge.context, remaining, newLockedUntilMs, now)
`,
});

export const reserveAttempt: ChallengeMethod<'reserveAttempt'> =
  ({ call, keyspace }) =>
  async (ref, limits) => {
    const reply = await call(script, keyspace.ofChallenge(ref), limits);
    const outcome = reply.outcome(['reserved', 'locked', 'gone']);
    if (outcome === 'gone') return { outcome };
    if (outcome === 'locked') {
      return { outcome, retryAfterMs: reply.integer(), suspended: reply.integer() === 1 };
    }
    return {
      outcome,
      context: JSON.parse(reply.text()),
      attemptsRemaining: reply.integer(),
      lockedUntilMs: reply.integer() || null,
      nowMs: reply.integer(),
    };
  };
