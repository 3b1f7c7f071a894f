import type { PersonalAccessTokenStore } from '@latchhook/core/storage';
import { createToken } from './scripts/personal-access-tokens/create-token.ts';
import { listTokens } from './scripts/personal-access-tokens/list-tokens.ts';
import { revokeAllTokens } from './scripts/personal-access-tokens/revoke-all-tokens.ts';
import { revokeToken } from './scripts/personal-access-tokens/revoke-token.ts';
import { revokeTokenByHash } from './scripts/personal-access-tokens/revoke-token-by-hash.ts';
import { useToken } from './scripts/personal-access-tokens/use-token.ts';
import type { StoreDeps } from './store-methods.ts';

/** Personal access tokens in Redis: each method is one script. */
export function redisPersonalAccessTokens(deps: StoreDeps): PersonalAccessTokenStore {
  return {
    create: createToken(deps),
    use: useToken(deps),
    list: listTokens(deps),
    revoke: revokeToken(deps),
    revokeByHash: revokeTokenByHash(deps),
    revokeAll: revokeAllTokens(deps),
  };
}
