import {
  type CallDeadline,
  type CreateChallengeOutcome,
  type NewChallenge,
  storeLogin,
} from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import type { ChallengeKeys } from '../../keyspace.ts';
import { readLoginStoreOutcome } from '../../login-store-outcome.ts';
import type { CallScript } from '../../script-caller.ts';
import { KEEP_UNTIL } from '../fragments/keep-until.ts';
import { KEEP_USER } from '../fragments/keep-user.ts';
import { STALE_LOGIN } from '../fragments/stale-login.ts';

/**
 * Starts a challenge in the user's current session version.
 *
 * Outcomes: `created`, also for a known id, where it changes nothing; `stale_login` and `needs_retry`, each with the
 * time, where a `revokeAll` has run since the login began, or may have.
 *
 * The user hash outlives the challenge. If it expired first, session versions would restart at 0, and a `revokeAll`
 * could arrive at the session version of the challenge, which would then stay valid.
 */
const script = defineScript({
  name: 'create-challenge',
  keys: ['challenge', 'user'],
  args: {
    context: 'text',
    ttlMs: 'number',
    authenticationMs: 'number',
    earliestBeginMs: 'optionalNumber',
  },
  uses: [KEEP_UNTIL, KEEP_USER, STALE_LOGIN],
  lua: `
local outcome = staleLogin(userKey, authenticationMs, earliestBeginMs)
if outcome then return answer(outcome, now) end
if redis.call('EXISTS', challengeKey) == 0 then
  local sessionVersion = redis.call('HGET', userKey, 'sessionVersion') or '0'
  redis.call('HSET', challengeKey,
    'context', context, 'expiresAtMs', now + ttlMs, 'sessionVersion', sessionVersion, 'attempts', 0)
  keepUntil(challengeKey, now + ttlMs)
  keepUser(userKey)
end
return answer('created')
`,
});

export async function createChallenge(
  call: CallScript,
  keys: ChallengeKeys,
  challenge: NewChallenge,
  deadline: CallDeadline,
): Promise<CreateChallengeOutcome> {
  const { ttlMs, authenticationMs } = challenge;
  const { accountId, version, authTimeMs, amr, actor } = challenge.context;
  const context = JSON.stringify({ accountId, version, authTimeMs, amr, actor });
  const { outcome } = await storeLogin(authenticationMs, async (age) =>
    readLoginStoreOutcome(await call(script, keys, { context, ttlMs, ...age }, { deadline })),
  );
  return { outcome };
}
