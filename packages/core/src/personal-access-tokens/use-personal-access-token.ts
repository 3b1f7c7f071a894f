import type { ScopeTable } from '../scopes/scope-table.ts';
import type { PersonalAccessTokenRecord } from '../storage/personal-access-token-store.ts';
import { accountsOf, lastingScopes } from '../users/entitlement.ts';
import { accessOf } from '../users/user-status.ts';
import type { AnyUserStore } from '../users/users.ts';
import { hashPersonalAccessToken, isPersonalAccessToken } from './personal-access-token.ts';
import type { PersonalAccessTokenCache } from './personal-access-token-cache.ts';
import type { PersonalAccessTokenInfo } from './personal-access-token-info.ts';

const NO_CLAIMS = Object.freeze({});

/** Whether the cache may answer for a token: never, or for as long as the host allows after the storage was asked. */
export type Recall = 'never' | 'recent';

/**
 * Resolves to the owner of a token, and what it permits now; to `null` if it is unknown, revoked, expired or permits
 * nothing to its owner any more. Returns `null` without a promise for a string that cannot be a token.
 *
 * @throws {AuthError} `temporarily_unavailable`
 */
export type UsePersonalAccessToken = (
  token: string,
  recall: Recall,
) => Promise<PersonalAccessTokenInfo | null> | null;

export interface UsePersonalAccessTokenDeps {
  readonly cache: PersonalAccessTokenCache;
  readonly users: Pick<AnyUserStore, 'findById'>;
  readonly scopeTable: ScopeTable;
}

/**
 * Security: the owner is looked up at every use, even of a cached token. Nobody who is gone, disabled or has left the
 * account can use one; and scopes count only as far as the owner is entitled to them now.
 */
export function createUsePersonalAccessToken({
  cache,
  users,
  scopeTable,
}: UsePersonalAccessTokenDeps): UsePersonalAccessToken {
  return (token, recall) =>
    isPersonalAccessToken(token) ? use(hashPersonalAccessToken(token), recall) : null;

  async function use(tokenHash: string, recall: Recall): Promise<PersonalAccessTokenInfo | null> {
    const recalled = recall === 'recent' ? cache.findCached(tokenHash) : undefined;
    const record = recalled ?? (await cache.find(tokenHash));
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
