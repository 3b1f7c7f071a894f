import { defineScript } from '../../define-script.ts';
import { parseTokenRecord } from '../../personal-access-token-record.ts';
import type { PersonalAccessTokenMethod } from '../../store-methods.ts';
import { FAIL_ON_REPLICA } from '../fragments/fail-on-replica.ts';
import { LIVE_TOKENS } from './fragments/live-tokens.ts';

/**
 * Lists a user's live tokens after the sequence `after`, in the order of creation. An empty `after`: from the first.
 *
 * Outcomes: `listed`, with the records.
 */
const script = defineScript({
  name: 'list-tokens',
  keys: ['root'],
  args: { userId: 'text', after: 'text', limit: 'number' },
  uses: [FAIL_ON_REPLICA, LIVE_TOKENS],
  lua: `
failOnReplica('zset', rootKey)
local records = {}
for index, token in ipairs(liveTokens(userId, after == '' and '-inf' or '(' .. after)) do
  if index > limit then break end
  records[index] = token.record
end
return reply('listed', records)
`,
});

export const listTokens: PersonalAccessTokenMethod<'list'> =
  ({ call, tokenKeys }) =>
  async (userId, { limit, after }) => {
    const reply = await call(script, tokenKeys, { userId, after: String(after ?? ''), limit });
    reply.expectOutcome('listed');
    return Array.from(reply.list().lists(), parseTokenRecord);
  };
