import { defineScript } from '../../define-script.ts';
import type { FactorKeys } from '../../keyspace.ts';
import type { CallScript } from '../../script-caller.ts';
import { REPLACE_CODES } from './fragments/replace-codes.ts';

/**
 * Replaces all recovery codes of a factor.
 *
 * `codeHashes` is a JSON array. Outcomes: `replaced`; `none`, if there is no factor.
 *
 * If these codes were the last ones issued, nothing changes because a repeated command must not restore a used code.
 */
const script = defineScript({
  name: 'replace-recovery-codes',
  keys: ['factor', 'codes'],
  args: { codeHashes: 'text' },
  uses: [REPLACE_CODES],
  lua: `
local digest = digestOfCodes(codeHashes)
local codesGiven = redis.call('HGET', factorKey, 'codesGiven')
if not codesGiven then return reply('none') end
if codesGiven ~= digest then
  redis.call('HSET', factorKey, 'codesGiven', digest)
  replaceCodes(codesKey, codeHashes)
end
return reply('replaced')
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
