import {
  type CallDeadline,
  type ChallengeContext,
  type CreateChallengeOutcome,
  LONGEST_PENDING_MS,
  type NewChallenge,
  storeLogin,
} from '@latchhook/core/storage';
import { defineFunction } from '../../define-function.ts';
import type { CallFunction } from '../../function-caller.ts';
import { readLoginStoreOutcome } from '../../login-store-outcome.ts';
import { deleteExpired } from '../internal/delete-expired.ts';
import { DECLARE_LOGIN, RETURN_IF_STALE_LOGIN } from '../internal/stale-login.ts';

/**
 * Starts a challenge.
 *
 * Outcomes: `created`; `stale_login`, with the time, if a `revokeAll` has run since the login began; `needs_retry`,
 * with the time, if one may have run. If the id is known, `created` changes nothing.
 *
 * Also deletes a few expired challenges of any user, as `start_session` does with sessions. An expired challenge is
 * kept for as long as a repeated `create` may be pending: without the row, that call would start the challenge again.
 */
export const createChallengeFunction = defineFunction({
  name: 'create_challenge',
  args: {
    userId: 'text',
    challengeId: 'text',
    context: 'json',
    ttlMs: 'bigint',
    loginAgeMs: 'bigint',
    earliestBeginMs: 'bigint',
  },
  declare: DECLARE_LOGIN,
  body: `
${RETURN_IF_STALE_LOGIN}
INSERT INTO challenges (user_id, challenge_id, context, expires_at_ms)
VALUES (p_user_id, p_challenge_id, p_context::text, now_ms + p_ttl_ms)
ON CONFLICT DO NOTHING;
${deleteExpired('challenges', 'expires_at_ms', LONGEST_PENDING_MS)}
RETURN json_build_object('outcome', 'created');
`,
});

export async function createChallenge(
  call: CallFunction,
  challenge: NewChallenge,
  deadline: CallDeadline,
): Promise<CreateChallengeOutcome> {
  const { userId, challengeId, ttlMs, loginAgeMs } = challenge;
  const { accountId, version, authTimeMs, amr, actor } = challenge.context;
  const context: ChallengeContext = { accountId, version, authTimeMs, amr, actor };
  const args = { userId, challengeId, context, ttlMs };
  const { outcome } = await storeLogin(loginAgeMs, async (age) =>
    readLoginStoreOutcome(await call(createChallengeFunction, { ...args, ...age }, deadline)),
  );
  return { outcome };
}
