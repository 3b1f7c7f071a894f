import { defineScript } from '../../define-script.ts';
import type { MfaMethod } from '../../store-methods.ts';

/**
 * Consumes a recovery code.
 *
 * Outcomes: `used` by this call; `unknown`, also if the code was used before.
 *
 * SREM both finds and removes the code, so that only one of several parallel calls succeeds. Redis allows SREM even
 * when memory is full.
 */
const script = defineScript({
  name: 'consume-recovery-code',
  keys: ['codes'],
  args: { codeHash: 'text' },
  lua: `
local removedCount = redis.call('SREM', codesKey, codeHash)
return reply(removedCount == 1 and 'used' or 'unknown')
`,
});

export const consumeRecoveryCode: MfaMethod<'consumeRecoveryCode'> =
  ({ call, keyspace }) =>
  async (userId, codeHash) => {
    const reply = await call(script, keyspace.ofFactor(userId), { codeHash });
    return reply.outcome(['used', 'unknown']) === 'used';
  };
