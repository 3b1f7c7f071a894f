import { defineScript } from '../../define-script.ts';
import type { MfaMethod } from '../../store-methods.ts';
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

export const replaceRecoveryCodes: MfaMethod<'replaceRecoveryCodes'> =
  ({ call, keyspace }) =>
  async (userId, recoveryCodeHashes) => {
    const codeHashes = JSON.stringify(recoveryCodeHashes);
    const reply = await call(script, keyspace.ofFactor(userId), { codeHashes });
    return reply.outcome(['replaced', 'none']) === 'replaced';
  };
