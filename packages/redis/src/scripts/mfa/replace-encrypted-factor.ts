import { defineScript } from '../../define-script.ts';
import type { MfaMethod } from '../../store-methods.ts';

/**
 * Replaces the encrypted secret of a factor, if it equals the expected one.
 *
 * Outcomes: `replaced`, by this call or an earlier one; `unknown`, if there is another secret, or none.
 *
 * One script compares and writes. Otherwise a factor that is enrolled between the two steps would be lost.
 */
const script = defineScript({
  name: 'replace-encrypted-factor',
  keys: ['factor'],
  args: { expected: 'text', replacement: 'text' },
  lua: `
local encrypted = redis.call('HGET', factorKey, 'encryptedSecret')
if encrypted == expected then redis.call('HSET', factorKey, 'encryptedSecret', replacement) end
local isReplaced = encrypted == expected or encrypted == replacement
return reply(isReplaced and 'replaced' or 'unknown')
`,
});

export const replaceEncryptedFactor: MfaMethod<'replaceEncrypted'> =
  ({ call, keyspace }) =>
  async (userId, change) => {
    const reply = await call(script, keyspace.ofFactor(userId), change);
    return reply.outcome(['replaced', 'unknown']) === 'replaced';
  };
