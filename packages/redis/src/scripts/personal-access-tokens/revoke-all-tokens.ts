import { defineScript } from '../../define-script.ts';
import type { PersonalAccessTokenMethod } from '../../store-methods.ts';
import { FAIL_ON_REPLICA } from '../fragments/fail-on-replica.ts';
import { END_TOKEN } from './fragments/end-token.ts';
import { LIVE_TOKENS } from './fragments/live-tokens.ts';

/**
 * Ends every token of a user.
 *
 * Outcomes: `ended`, with the number of tokens that were live.
 */
const script = defineScript({
  name: 'revoke-all-tokens',
  keys: ['root'],
  args: { userId: 'text' },
  uses: [FAIL_ON_REPLICA, END_TOKEN, LIVE_TOKENS],
  lua: `
failOnReplica('zset', rootKey)
local tokens = liveTokens(userId, '-inf')
for _, token in ipairs(tokens) do endToken(userId, token.hash) end
return reply('ended', #tokens)
`,
});

export const revokeAllTokens: PersonalAccessTokenMethod<'revokeAll'> =
  ({ call, tokenKeys }) =>
  async (userId) => {
    const reply = await call(script, tokenKeys, { userId });
    reply.expectOutcome('ended');
    return reply.integer();
  };
