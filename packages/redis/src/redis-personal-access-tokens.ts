import type { PersonalAccessTokenStore } from '@latchhook/core/storage';
import type { PersonalAccessTokenKeys } from './personal-access-token-keyspace.ts';
import type { CallScript } from './script-caller.ts';
import { createToken } from './scripts/personal-access-tokens/create-token.ts';
import { listTokens } from './scripts/personal-access-tokens/list-tokens.ts';
import { revokeAllTokens } from './scripts/personal-access-tokens/revoke-all-tokens.ts';
import { revokeToken } from './scripts/personal-access-tokens/revoke-token.ts';
import { revokeTokenByHash } from './scripts/personal-access-tokens/revoke-token-by-hash.ts';
import { useToken } from './scripts/personal-access-tokens/use-token.ts';

/** Personal access tokens in Redis: each method is one script. */
export function redisPersonalAccessTokens(
  call: CallScript,
  keys: PersonalAccessTokenKeys,
): PersonalAccessTokenStore {
  return {
    create: (token, limits) => createToken(call, keys, token, limits),
    use: (tokenHash, options) => useToken(call, keys, tokenHash, options),
    list: (userId, page) => listTokens(call, keys, userId, page),
    revoke: (ref) => revokeToken(call, keys, ref),
    revokeByHash: (tokenHash) => revokeTokenByHash(call, keys, tokenHash),
    revokeAll: (userId) => revokeAllTokens(call, keys, userId),
  };
}
