import type { ChallengeRef, CodeAttemptLimits, ReserveOutcome } from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';

/**
 * Counts an attempt as failed before the code is verified; `completeChallenge` clears the count.
 *
 * Outcomes: `reserved`, with the context, the remaining attempts, the end of the lock that applies if this attempt
 * fails (null: no lock) and the current time; `locked`, with the time to wait and whether it is a suspension; `gone`,
 * if the challenge has ended, has no attempts left, or does not exist.
 *
 * The user is locked at every `p_per_user`-th failure, each time for twice as long as before, and suspended from the
 * `p_suspend_after`-th failure on. The doubled time is computed as `numeric` because it may exceed a `bigint` before it
 * is cut to `p_max_lock_ms`.
 *
 * The user's row is locked before attempts are counted. Otherwise a hundred parallel guesses could all use the last
 * attempt.
 */
export const reserveAttemptFunction = defineFunction({
  name: 'reserve_attempt',
  args: {
    userId: 'text',
    challengeId: 'text',
    perChallenge: 'bigint',
    perUser: 'bigint',
    lockMs: 'bigint',
    maxLockMs: 'bigint',
    suspendAfter: 'bigint',
  },
  declare: `
owner users;
challenge challenges;
new_locked_until_ms bigint;
`,
  body: `
SELECT * INTO owner FROM users WHERE user_id = p_user_id FOR UPDATE;
now_ms := now_unless_expired(p_command_expires_at_ms, p_clock_ms);
-- A suspension has no end, so the longest lock is returned as the time to wait.
IF owner.is_suspended THEN
  RETURN json_build_object('outcome', 'locked', 'retryAfterMs', p_max_lock_ms, 'suspended', true);
END IF;
IF now_ms < owner.locked_until_ms THEN
  RETURN json_build_object(
    'outcome', 'locked', 'retryAfterMs', owner.locked_until_ms - now_ms, 'suspended', false);
END IF;

-- An exhausted challenge is kept, as its last reserved attempt may still be completed.
UPDATE challenges SET attempts = attempts + 1
WHERE user_id = p_user_id AND challenge_id = p_challenge_id
  AND now_ms < expires_at_ms AND NOT is_ended AND used_by IS NULL AND attempts < p_per_challenge
RETURNING * INTO challenge;
IF NOT FOUND THEN RETURN json_build_object('outcome', 'gone'); END IF;

owner.failures := owner.failures + 1;
IF owner.failures >= p_suspend_after THEN
  owner.is_suspended := true;
  new_locked_until_ms := now_ms + p_max_lock_ms;
ELSIF owner.failures % p_per_user = 0 THEN
  new_locked_until_ms := now_ms + least(
    p_max_lock_ms::numeric, p_lock_ms * 2::numeric ^ (owner.failures / p_per_user - 1))::bigint;
END IF;
UPDATE users
SET failures = owner.failures, is_suspended = owner.is_suspended,
  locked_until_ms = coalesce(new_locked_until_ms, owner.locked_until_ms)
WHERE user_id = p_user_id;
RETURN json_build_object(
  'outcome', 'reserved',
  'context', challenge.context,
  'attemptsRemaining', p_per_challenge - challenge.attempts,
  'lockedUntilMs', new_locked_until_ms,
  'nowMs', now_ms);
`,
});

export async function reserveAttempt(
  call: CallFunction,
  { userId, challengeId }: ChallengeRef,
  limits: CodeAttemptLimits,
): Promise<ReserveOutcome> {
  const result = await call(reserveAttemptFunction, { userId, challengeId, ...limits });
  const outcome = result.outcome(['reserved', 'locked', 'gone']);
  if (outcome === 'gone') return { outcome };
  if (outcome === 'locked')
    return {
      outcome,
      retryAfterMs: result.integer('retryAfterMs'),
      suspended: result.boolean('suspended'),
    };
  return {
    outcome,
    context: JSON.parse(result.text('context')),
    attemptsRemaining: result.integer('attemptsRemaining'),
    lockedUntilMs: result.integerOrNull('lockedUntilMs'),
    nowMs: result.integer('nowMs'),
  };
}
