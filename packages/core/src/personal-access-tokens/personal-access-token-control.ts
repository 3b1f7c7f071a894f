import type { AccountId } from '../account-id.ts';
import { canonicalClient } from '../client-info/canonical-client.ts';
import type { ClientInfo } from '../client-info/client-info.ts';
import { ConfigError } from '../errors.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import type {
  PersonalAccessTokenRecord,
  PersonalAccessTokenStore,
} from '../storage/personal-access-token-store.ts';
import { hashPersonalAccessToken, isPersonalAccessToken } from './personal-access-token.ts';
import { MAX_TOKENS_PER_USER } from './personal-access-token-policy.ts';

/**
 * Operations on personal access tokens, for the host. All reject with an `AuthError` (`temporarily_unavailable`) if the
 * storage does not answer, and with a `ConfigError` (`personal_access_tokens_missing`) if there are none.
 *
 * `client`: who requested it, for the event.
 */
export interface PersonalAccessTokens<Id extends AccountId = number> {
  /** The user's live tokens, oldest first: their records, since the tokens themselves are stored nowhere. */
  list(userId: string): Promise<readonly PersonalAccessTokenRecord<Id>[]>;
  /**
   * Revokes a leaked token, found in a public repository or a log. Returns its record, so that the owner can be
   * notified; `null` for text that is no token, or a token that is not live. A wrong checksum costs no storage call, so
   * every find of a scanner can be passed in.
   */
  revokeLeaked(token: string, client?: ClientInfo): Promise<PersonalAccessTokenRecord<Id> | null>;
  /**
   * Revokes all of a user's tokens; returns how many were live. `auth.sessions.revokeAll` does not revoke them: after a
   * theft call both.
   *
   * Concurrency: call this once `auth.sessions.revokeAll` has resolved. Then no token is left that a session has
   * created or is creating: one that is stored later is revoked by its own request, which finds that its session has
   * ended.
   */
  revokeAll(userId: string, client?: ClientInfo): Promise<number>;
}

/** {@link PersonalAccessTokens}, and what the routes need in addition. */
export interface PersonalAccessTokenControl extends PersonalAccessTokens<AccountId> {
  /** Revokes a token that its holder presents. */
  revokeHeld(token: string, client: ClientInfo): Promise<void>;
}

/** All of a user's tokens on one page: no policy allows more. */
const ALL = { limit: MAX_TOKENS_PER_USER, after: null } as const;

export function createPersonalAccessTokenControl(
  store: Pick<PersonalAccessTokenStore, 'list' | 'revokeByHash' | 'revokeAll'>,
  emit: (event: SecurityEvent) => void,
): PersonalAccessTokenControl {
  const revokeByToken = async (token: string) =>
    isPersonalAccessToken(token) ? store.revokeByHash(hashPersonalAccessToken(token)) : null;

  return {
    list: (userId) => store.list(userId, ALL),
    async revokeLeaked(token, client) {
      const revoked = await revokeByToken(token);
      if (revoked === null) return null;
      const { userId, tokenId, accountId } = revoked;
      const leaked = { userId, tokenId, accountId };
      emit({ type: 'personal_access_token.leaked', ...leaked, ...canonicalClient(client) });
      return revoked;
    },
    async revokeHeld(token, client) {
      const revoked = await revokeByToken(token);
      if (revoked === null) return;
      const { userId, tokenId, accountId } = revoked;
      const held = { userId, tokenId, accountId };
      emit({ type: 'personal_access_token.revoked', ...held, actor: 'holder', ...client });
    },
    async revokeAll(userId, client) {
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
