import type { PersonalAccessTokenRecord } from '../storage/personal-access-token-store.ts';
import { accountsOf, lastingScopes } from '../users/entitlement.ts';
import { accessOf } from '../users/standing.ts';
import type { UserDirectory } from '../users/users.ts';
import type { FoundTokens } from './found-tokens.ts';
import { hashPersonalAccessToken, isPersonalAccessToken } from './personal-access-token.ts';
import type { PersonalAccessTokenInfo } from './personal-access-token-info.ts';

/** How old the storage's answer about a token may be: not at all, or as old as the host allows. */
export type Freshness = 'current' | 'recent';

/**
 * Says whose token it is and what it may do now; `null` where it is unknown, revoked, expired or of no use to its owner
 * any more. Answers at once, without a promise, for what cannot be a token.
 *
 * @throws {AuthError} `temporarily_unavailable`
 */
export type UsePersonalAccessToken = (
  token: string,
  freshness: Freshness,
) => Promise<PersonalAccessTokenInfo | null> | null;

export interface UsePersonalAccessTokenDeps {
  readonly found: FoundTokens;
  readonly users: Pick<UserDirectory, 'findById'>;
}

/**
 * Security: the owner is looked up at every use, even of a remembered token. Nobody who is gone, disabled or out of the
 * account can use one; and scopes count only as far as the owner is entitled to them now.
 */
export function createUsePersonalAccessToken({
  found,
  users,
}: UsePersonalAccessTokenDeps): UsePersonalAccessToken {
  return (token, freshness) =>
    isPersonalAccessToken(token) ? use(hashPersonalAccessToken(token), freshness) : null;

  async function use(
    tokenHash: string,
    freshness: Freshness,
  ): Promise<PersonalAccessTokenInfo | null> {
    const recalled = freshness === 'recent' ? found.recall(tokenHash) : undefined;
    const record = recalled ?? (await found.find(tokenHash));
    return record && infoOf(record);
  }

  async function infoOf(
    record: PersonalAccessTokenRecord,
  ): Promise<PersonalAccessTokenInfo | null> {
    const { userId, tokenId, accountId } = record;
    const access = accessOf(await users.findById(userId), accountId);
    if (access.outcome !== 'good') return null;
    const { user } = access;
    const scopes = lastingScopes(user, record.scopes);
    // A route that requires no scope must not open to a token that has none left.
    if (scopes.length === 0) return null;
    return {
      credential: 'personal_access_token',
      userId,
      scopes,
      accounts: accountsOf(user),
      accountId,
      tokenId,
      issuedAtMs: record.createdAtMs,
      expiresAtMs: record.expiresAtMs,
    };
  }
}
