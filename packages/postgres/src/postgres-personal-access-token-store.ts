import type {
  CreatePersonalAccessTokenOutcome,
  NewPersonalAccessToken,
  Page,
  PersonalAccessTokenRecord,
  PersonalAccessTokenRef,
  PersonalAccessTokenStore,
} from '@latchhook/core/storage';
import type { CallFunction } from './function-caller.ts';
import { createToken } from './functions/personal-access-tokens/create-token.ts';
import { listTokens } from './functions/personal-access-tokens/list-tokens.ts';
import { revokeAllTokens } from './functions/personal-access-tokens/revoke-all-tokens.ts';
import { revokeToken } from './functions/personal-access-tokens/revoke-token.ts';
import { revokeTokenByHash } from './functions/personal-access-tokens/revoke-token-by-hash.ts';
import { useToken } from './functions/personal-access-tokens/use-token.ts';

/** Personal access tokens in PostgreSQL: each method is one call of a function. */
export class PostgresPersonalAccessTokenStore implements PersonalAccessTokenStore {
  readonly #call: CallFunction;

  constructor(call: CallFunction) {
    this.#call = call;
  }

  create(
    token: NewPersonalAccessToken,
    limits: { readonly maxPerUser: number },
  ): Promise<CreatePersonalAccessTokenOutcome> {
    return createToken(this.#call, token, limits);
  }

  use(
    tokenHash: string,
    options: { readonly touchEveryMs: number },
  ): Promise<PersonalAccessTokenRecord | null> {
    return useToken(this.#call, tokenHash, options);
  }

  list(userId: string, page: Page): Promise<readonly PersonalAccessTokenRecord[]> {
    return listTokens(this.#call, userId, page);
  }

  revoke(ref: PersonalAccessTokenRef): Promise<boolean> {
    return revokeToken(this.#call, ref);
  }

  revokeByHash(tokenHash: string): Promise<PersonalAccessTokenRecord | null> {
    return revokeTokenByHash(this.#call, tokenHash);
  }

  revokeAll(userId: string): Promise<number> {
    return revokeAllTokens(this.#call, userId);
  }
}
