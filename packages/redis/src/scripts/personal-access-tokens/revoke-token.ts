import { defineScript } from '../../define-script.ts';
import { TOKEN } from '../../personal-access-token-record.ts';
import type { PersonalAccessTokenMethod } from '../../store-methods.ts';
import { FAIL_ON_REPLICA } from '../fragments/fail-on-replica.ts';
import { END_TOKEN } from './fragments/end-token.ts';
import { LIVE_TOKENS } from './fragments/live-tokens.ts';

/**
 * Ends one of a user's tokens by its id, which is looked up among this user's tokens only.
 *
 * Outcomes: `ended` by this call; `over`, if the token had ended before, or is not a token of this user.
 */
const script = defineScript({
  name: 'revoke-token',
  keys: ['root'],
  args: { userId: 'text', tokenId: 'text' },
  uses: [FAIL_ON_REPLICA, END_TOKEN, LIVE_TOKENS],
  lua: `
for _, token in ipairs(liveTokens(userId, '-inf')) do
  if token.record[${TOKEN.at.tokenId}] == tokenId then
    endToken(userId, token.hash)
    return reply('ended')
  end
end
failOnReplica('zset', rootKey)
return reply('over')
`,
});

export const revokeToken: PersonalAccessTokenMethod<'revoke'> =
  ({ call, tokenKeys }) =>
  async (ref) => {
    const reply = await call(script, tokenKeys, ref);
    return reply.outcome(['ended', 'over']) === 'ended';
  };
