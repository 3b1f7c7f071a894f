import type { EncryptedItem } from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import type { CallScript } from '../../script-caller.ts';

/**
 * Reads the user and the secret of the factor at a key.
 *
 * Outcomes: `found`, with both; `none`, if the factor was removed after the scan that found its key.
 */
const script = defineScript({
  name: 'find-encrypted-factor',
  keys: ['factor'],
  args: {},
  lua: `
local userId, encryptedSecret = unpack(redis.call('HMGET', factorKey, 'userId', 'encryptedSecret'))
if not encryptedSecret then return reply('none') end
return reply('found', userId, encryptedSecret)
`,
});

/** Returns a function that accepts the key of a factor rather than its user, whom the caller does not know. */
export function findEncryptedFactor(
  call: CallScript,
): (factorKey: string) => Promise<EncryptedItem<string> | null> {
  return async (factorKey) => {
    const reply = await call(script, { factor: factorKey }, {});
    if (reply.outcome(['found', 'none']) === 'none') return null;
    return { owner: reply.text(), encrypted: reply.text() };
  };
}
