import { storeLogin } from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import { readLoginStoreOutcome } from '../../login-store-outcome.ts';
import type { ChallengeMethod } from '../../store-methods.ts';
import { EXTEND_TTL } from '../fragments/extend-ttl.ts';
import { EXTEND_USER_TTL } from '../fragments/extend-user-ttl.ts';
import { STALE_LOGIN } from '../fragments/stale-login.ts';

/**
 * Starts a challenge in the user's current session version.
 *
 * Outcomes: `created`; `stale_login`, with the time, if a `revokeAll` has run since the login began; `needs_retry`,
 * with the time, if one may have run. If the id is known, `created` changes nothing.
 *
 * The user's hash outlives the challenge. If the hash expired first, session versions would restart at 0, and a
 * `revokeAll` could reach the session version of the challenge, which would then stay valid.
 */
const script = defineScript({
  name: 'create-challenge',
  keys: ['challenge', 'user'],
  args: {
    context: 'text',
    ttlMs: 'number',
    loginAgeMs: 'number',
    earliestBeginMs: 'optionalNumber',
  },
  uses: [EXTEND_TTL, EXTEND_USER_TTL, STALE_LOGIN],
  lua: `
local outcome = staleLogin(userKey, loginAgeMs, earliestBeginMs)
if outcome then return reply(outcome, now) end
if redis.call('EXISTS', challengeKey) == 0 then
  local sessionVersion = redis.call('HGET', userKey, 'sessionVersion') or '0'
  redis.call('HSET', challengeKey,
    'context', context, 'expiresAtMs', now + ttlMs, 'sessionVersion', sessionVersion, 'attempts', 0)
  extendTtl(challengeKey, now + ttlMs)
  extendUserTtl(userKey)
end
return reply('created')
`,
});

export const createChallenge: ChallengeMethod<'create'> =
  ({ call, keyspace, newDeadline }) =>
  async (challenge) => {
    const keys = keyspace.ofChallenge(challenge);
    const deadline = newDeadline();
    const { ttlMs, loginAgeMs } = challenge;
    const { accountId, version, authTimeMs, amr, actor } = challenge.context;
    const context = JSON.stringify({ accountId, version, authTimeMs, amr, actor });
    const { outcome } = await storeLogin(loginAgeMs, async (age) =>
      readLoginStoreOutcome(await call(script, keys, { context, ttlMs, ...age }, { deadline })),
    );
    return { outcome };
  };
