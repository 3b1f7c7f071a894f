import type { PersonalAccessTokenStore } from '@latchhook/core/storage';
import type { CallFunction } from './function-caller.ts';
import { createToken } from './functions/personal-access-tokens/create-token.ts';
import { listTokens } from './functions/personal-access-tokens/list-tokens.ts';
import { revokeAllTokens } from './functions/personal-access-tokens/revoke-all-tokens.ts';
import { revokeToken } from './functions/personal-access-tokens/revoke-token.ts';
import { revokeTokenByHash } from './functions/personal-access-tokens/revoke-token-by-hash.ts';
import { useToken } from './functions/personal-access-tokens/use-token.ts';

/** Personal access tokens in PostgreSQL: each method is one call of a function. */
export function postgresPersonalAccessTokens(call: CallFunction): PersonalAccessTokenStore {
  return {
    create: (token, limits) => createToken(call, token, limits),
    use: (tokenHash, options) => useToken(call, tokenHash, options),
    list: (userId, page) => listTokens(call, userId, page),
    revoke: (ref) => revokeToken(call, ref),
    revokeByHash: (tokenHash) => revokeTokenByHash(call, tokenHash),
    revokeAll: (userId) => revokeAllTokens(call, userId),
  };
}
