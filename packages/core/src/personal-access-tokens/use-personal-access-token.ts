import type { ScopeTable } from '../scopes/scope-table.ts';
import type { PersonalAccessTokenRecord } from '../storage/personal-access-token-store.ts';
import { accessOf, accountsOf, lastingScopes } from '../users/entitlement.ts';
import type { AnyUserStore } from '../users/users.ts';
import { hashPersonalAccessToken, isPersonalAccessToken } from './personal-access-token.ts';
import type { PersonalAccessTokenCache } from './personal-access-token-cache.ts';
import type { PersonalAccessTokenInfo } from './personal-access-token-info.ts';

const NO_CLAIMS = Object.freeze({});

/** `current`: asks the storage for the token. `recent`: a cached record is enough, for as long as the host permits. */
export type Freshness = 'current' | 'recent';

/**
 * Resolves to the owner and the present rights of a token; to `null` if the token is unknown, revoked, expired or has
 * no rights any more. Returns `null` without a promise for a string that cannot be a token.
 *
 * @throws {AuthError} `temporarily_unavailable`
 */
export type UsePersonalAccessToken = (
  token: string,
  freshness: Freshness,
) => Promise<PersonalAccessTokenInfo | null> | null;

export interface UsePersonalAccessTokenDeps {
  readonly cache: PersonalAccessTokenCache;
  readonly users: Pick<AnyUserStore, 'findById'>;
  readonly scopeTable: ScopeTable;
}

/**
 * Security: the owner is looked up at every use, even of a cached token. The token of an owner who is gone, disabled or
 * has left the account is rejected, and its scopes count only as far as the owner is entitled to them now.
 */
export function createUsePersonalAccessToken({
  cache,
  users,
  scopeTable,
}: UsePersonalAccessTokenDeps): UsePersonalAccessToken {
  return (token, freshness) =>
    isPersonalAccessToken(token) ? use(hashPersonalAccessToken(token), freshness) : null;

  async function use(
    tokenHash: string,
    freshness: Freshness,
  ): Promise<PersonalAccessTokenInfo | null> {
    const cached = freshness === 'recent' ? cache.findCached(tokenHash) : undefined;
    const record = cached ?? (await cache.find(tokenHash));
    return record && infoOf(record);
  }

  async function infoOf(
    record: PersonalAccessTokenRecord,
  ): Promise<PersonalAccessTokenInfo | null> {
    const { userId, tokenId, accountId } = record;
    const access = accessOf(await users.findById(userId), accountId);
    if (access.outcome !== 'good') return null;
    const { user } = access;
    const scopes = lastingScopes(user, record.scopes, scopeTable);
    // A route that requires no scope must not be open to a token that has none left.
    if (scopes.length === 0) return null;
    return Object.freeze({
      credential: 'personal_access_token',
      userId,
      scopes: Object.freeze(scopes),
      accounts: Object.freeze(accountsOf(user)),
      accountId,
      tokenId,
      issuedAtMs: record.createdAtMs,
      expiresAtMs: record.expiresAtMs,
      claims: NO_CLAIMS,
    });
  }
}
