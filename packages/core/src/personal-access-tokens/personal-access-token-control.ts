import type { AccountId } from '../account-id.ts';
import { type ClientInfo, canonicalClient } from '../client-info/client-info.ts';
import { ConfigError } from '../errors.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import type { ScopeTable } from '../scopes/scope-table.ts';
import type {
  PersonalAccessTokenRecord,
  PersonalAccessTokenStore,
} from '../storage/personal-access-token-store.ts';
import { assertUserId } from '../users/assert-user-id.ts';
import { hashPersonalAccessToken, isPersonalAccessToken } from './personal-access-token.ts';
import { MAX_TOKENS_PER_USER } from './personal-access-token-policy.ts';

/**
 * Operations on personal access tokens, for the host. All reject with an `AuthError` (`temporarily_unavailable`) if the
 * storage does not answer, and with a `ConfigError` (`personal_access_tokens_missing`) if the app has no such tokens.
 *
 * `client`: who requested the operation, for the event.
 *
 * @throws {TypeError} if `userId` is not a string, or empty; if `token` is not a string
 */
export interface PersonalAccessTokens<Id extends AccountId = number> {
  /**
   * The records of the user's live tokens, oldest first, without scopes that the app has removed or made `stepUp`: no
   * use of a token gets these. The tokens themselves are stored nowhere.
   */
  list(userId: string): Promise<readonly PersonalAccessTokenRecord<Id>[]>;
  /**
   * Revokes a leaked token, found in a public repository or a log. Returns its record, so that the owner can be
   * notified; `null` for text that is not a token, or a token that is not live. A wrong checksum costs no storage call,
   * so every find of a scanner can be passed in.
   */
  revokeLeaked(token: string, client?: ClientInfo): Promise<PersonalAccessTokenRecord<Id> | null>;
  /**
   * Revokes all of a user's tokens; returns how many were live. `auth.sessions.revokeAll` does not revoke them: after a
   * theft call both.
   *
   * Concurrency: call this once `auth.sessions.revokeAll` has resolved. Then no token is left that a session has
   * created or is creating: a request that is still creating one stores it, finds that its session has ended, and
   * revokes it.
   */
  revokeAll(userId: string, client?: ClientInfo): Promise<number>;
}

/** {@link PersonalAccessTokens}, and what the routes need in addition. */
export interface PersonalAccessTokenControl extends PersonalAccessTokens<AccountId> {
  /** Revokes a token that its holder presents. */
  revokeByHolder(token: string, client: ClientInfo): Promise<void>;
}

/** One page with all of a user's tokens: no policy allows more. */
const WHOLE_PAGE = { limit: MAX_TOKENS_PER_USER, after: null } as const;

export function createPersonalAccessTokenControl(
  store: Pick<PersonalAccessTokenStore, 'list' | 'revokeByHash' | 'revokeAll'>,
  scopeTable: ScopeTable,
  emit: (event: SecurityEvent) => void,
): PersonalAccessTokenControl {
  const revokeByToken = async (token: string) =>
    isPersonalAccessToken(token) ? store.revokeByHash(hashPersonalAccessToken(token)) : null;

  /** Without scopes that the token no longer grants, as the app has changed its options. */
  function withLastingScopes(record: PersonalAccessTokenRecord): PersonalAccessTokenRecord {
    return { ...record, scopes: scopeTable.lasting(record.scopes) };
  }

  return {
    async list(userId) {
      assertUserId(userId);
      const records = await store.list(userId, WHOLE_PAGE);
      return records.map(withLastingScopes);
    },
    async revokeLeaked(token, client) {
      if (typeof token !== 'string')
        throw new TypeError('revokeLeaked takes the text of the token');
      const revoked = await revokeByToken(token);
      if (revoked === null) return null;
      const type = 'personal_access_token.leaked';
      emit({ type, ...refOf(revoked), ...canonicalClient(client) });
      return withLastingScopes(revoked);
    },
    async revokeByHolder(token, client) {
      const revoked = await revokeByToken(token);
      if (revoked === null) return;
      const type = 'personal_access_token.revoked';
      emit({ type, ...refOf(revoked), actor: 'holder', ...client });
    },
    async revokeAll(userId, client) {
      assertUserId(userId);
      const count = await store.revokeAll(userId);
      emit({
        type: 'personal_access_tokens.revoked_all',
        userId,
        count,
        ...canonicalClient(client),
      });
      return count;
    },
  };
}

/** The part of a token's record that its events have. */
function refOf({ userId, tokenId, accountId }: PersonalAccessTokenRecord) {
  return { userId, tokenId, accountId };
}

/** For apps without personal access tokens. */
export const noPersonalAccessTokens: PersonalAccessTokens<AccountId> = {
  list: rejected,
  revokeLeaked: rejected,
  revokeAll: rejected,
};

function rejected(): Promise<never> {
  return Promise.reject(
    new ConfigError(
      'personal_access_tokens_missing',
      'auth.personalAccessTokens needs a storage that keeps personal access tokens, such as postgresStorage(pool), and the option personalAccessTokens not to be false',
    ),
  );
}
