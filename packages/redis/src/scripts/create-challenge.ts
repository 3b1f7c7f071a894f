import type { NewChallenge } from '@latchhook/core';
import { defineScript } from '../define-script.ts';
import type { ChallengeKeys } from '../keyspace.ts';
import type { CallScript } from '../script-caller.ts';
import { KEEP_UNTIL } from './fragments/keep-until.ts';
import { KEEP_USER } from './fragments/keep-user.ts';

/**
 * Starts a challenge, of the epoch that the user is in.
 *
 * Outcomes: `created`. The same, and nothing changed, where the id is known.
 *
 * The user hash is kept on: were it to go before the challenge, epochs would count anew, and a `revokeAll`
 * could arrive at the very one that the challenge is of.
 */
const script = defineScript({
  name: 'create-challenge',
  keys: ['challenge', 'user'],
  args: { context: 'text', ttlMs: 'number' },
  lua: `
${KEEP_UNTIL}
${KEEP_USER}
if redis.call('EXISTS', challengeKey) == 0 then
  local epoch = redis.call('HGET', userKey, 'epoch') or '0'
  redis.call('HSET', challengeKey,
    'context', context, 'expiresAtMs', now + ttlMs, 'epoch', epoch, 'attempts', 0)
  keepUntil(challengeKey, now + ttlMs)
  keepUser(userKey)
end
return answer('created')
`,
});

export async function createChallenge(
  call: CallScript,
  keys: ChallengeKeys,
  { context, ttlMs }: NewChallenge,
): Promise<void> {
  const { accountId, version, authTimeMs } = context;
  const reply = await call(script, keys, {
    context: JSON.stringify({ accountId, version, authTimeMs }),
    ttlMs,
  });
  reply.outcome(['created']);
}
