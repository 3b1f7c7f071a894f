import { defineScript } from '../../define-script.ts';
import type { FactorKeys } from '../../keyspace.ts';
import type { CallScript } from '../../script-caller.ts';

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

export async function replaceEncryptedFactor(
  call: CallScript,
  keys: FactorKeys,
  change: { readonly expected: string; readonly replacement: string },
): Promise<boolean> {
  const reply = await call(script, keys, change);
  return reply.outcome(['replaced', 'unknown']) === 'replaced';
}
