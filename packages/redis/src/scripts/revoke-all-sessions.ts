import { defineScript } from '../define-script.ts';
import type { UserKeys } from '../keyspace.ts';
import type { CallScript } from '../script-caller.ts';
import { KEEP_USER } from './fragments/keep-user.ts';

/**
 * Ends every session of a user, and every pending challenge by a new epoch. The time of it is kept for the
 * logins that are under way: see `overtaken`.
 *
 * Outcomes: `ended`.
 *
 * DEL comes first: Redis refuses a script its first write when memory is full, but never a DEL, and lets
 * what has begun end. So this works on a full Redis too.
 */
const script = defineScript({
  name: 'revoke-all-sessions',
  keys: ['user', 'live', 'order'],
  args: {},
  lua: `
${KEEP_USER}
redis.call('DEL', liveKey, orderKey)
redis.call('HINCRBY', userKey, 'epoch', 1)
redis.call('HSET', userKey, 'revokedAllAtMs', now)
keepUser(userKey)
return answer('ended')
`,
});

export async function revokeAllSessions(call: CallScript, keys: UserKeys): Promise<void> {
  const reply = await call(script, keys, {});
  reply.outcome(['ended']);
}
