import type {
  CreatePersonalAccessTokenOutcome,
  NewPersonalAccessToken,
  Page,
  PersonalAccessTokenRecord,
  PersonalAccessTokenRef,
  PersonalAccessTokenStore,
} from '@latchhook/core/storage';
import type { PersonalAccessTokenKeys } from './personal-access-token-keyspace.ts';
import type { CallScript } from './script-caller.ts';
import { createToken } from './scripts/personal-access-tokens/create-token.ts';
import { listTokens } from './scripts/personal-access-tokens/list-tokens.ts';
import { revokeAllTokens } from './scripts/personal-access-tokens/revoke-all-tokens.ts';
import { revokeToken } from './scripts/personal-access-tokens/revoke-token.ts';
import { revokeTokenByHash } from './scripts/personal-access-tokens/revoke-token-by-hash.ts';
import { useToken } from './scripts/personal-access-tokens/use-token.ts';

/** Personal access tokens in Redis: each method is one script. */
export class RedisPersonalAccessTokenStore implements PersonalAccessTokenStore {
  readonly #call: CallScript;
  readonly #keys: PersonalAccessTokenKeys;

  constructor(call: CallScript, keys: PersonalAccessTokenKeys) {
    this.#call = call;
    this.#keys = keys;
  }

  create(
    token: NewPersonalAccessToken,
    limits: { readonly maxPerUser: number },
  ): Promise<CreatePersonalAccessTokenOutcome> {
    return createToken(this.#call, this.#keys, token, limits);
  }

  use(
    tokenHash: string,
    options: { readonly touchEveryMs: number },
  ): Promise<PersonalAccessTokenRecord | null> {
    return useToken(this.#call, this.#keys, tokenHash, options);
  }

  list(userId: string, page: Page): Promise<readonly PersonalAccessTokenRecord[]> {
    return listTokens(this.#call, this.#keys, userId, page);
  }

  revoke(ref: PersonalAccessTokenRef): Promise<boolean> {
    return revokeToken(this.#call, this.#keys, ref);
  }

  revokeByHash(tokenHash: string): Promise<PersonalAccessTokenRecord | null> {
    return revokeTokenByHash(this.#call, this.#keys, tokenHash);
  }

  revokeAll(userId: string): Promise<number> {
    return revokeAllTokens(this.#call, this.#keys, userId);
  }
}
