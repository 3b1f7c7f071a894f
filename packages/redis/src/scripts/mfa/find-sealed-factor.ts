import type { SealedItem } from '@latchhook/core/storage';
import { defineScript } from '../../define-script.ts';
import type { CallScript } from '../../script-caller.ts';

/**
 * Reads the user and the secret of the factor at a key.
 *
 * Outcomes: `found`, with both; `none`, where the factor was removed since its key was found.
 */
const script = defineScript({
  name: 'find-sealed-factor',
  keys: ['factor'],
  args: {},
  lua: `
local userId, sealedSecret = unpack(redis.call('HMGET', factorKey, 'userId', 'sealedSecret'))
if not sealedSecret then return answer('none') end
return answer('found', userId, sealedSecret)
`,
});

export async function findSealedFactor(
  call: CallScript,
  factorKey: string,
): Promise<SealedItem<string> | null> {
  const reply = await call(script, { factor: factorKey }, {});
  if (reply.outcome(['found', 'none']) === 'none') return null;
  return { owner: reply.text(), sealed: reply.text() };
}
