import { defineScript } from '../../define-script.ts';
import type { FactorKeys } from '../../keyspace.ts';
import type { CallScript } from '../../script-caller.ts';
import { GIVE_CODES } from './fragments/give-codes.ts';

/**
 * Replaces all recovery codes of a factor.
 *
 * `codeHashes` is a JSON array. Outcomes: `replaced`, also where these codes were the last ones issued, where it
 * changes nothing, as a repeated command must not restore a code that was used since; `none`, where there is no factor.
 */
const script = defineScript({
  name: 'replace-recovery-codes',
  keys: ['factor', 'codes'],
  args: { codeHashes: 'text' },
  uses: [GIVE_CODES],
  lua: `
local digest = digestOf(codeHashes)
local codesGiven = redis.call('HGET', factorKey, 'codesGiven')
if not codesGiven then return answer('none') end
if codesGiven ~= digest then
  redis.call('HSET', factorKey, 'codesGiven', digest)
  giveCodes(codesKey, codeHashes)
end
return answer('replaced')
`,
});

export async function replaceRecoveryCodes(
  call: CallScript,
  keys: FactorKeys,
  recoveryCodeHashes: readonly string[],
): Promise<boolean> {
  const reply = await call(script, keys, { codeHashes: JSON.stringify(recoveryCodeHashes) });
  return reply.outcome(['replaced', 'none']) === 'replaced';
}
