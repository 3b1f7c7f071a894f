import type { AccountId } from '../account-id.ts';
import type { ClientInfo } from '../client-info/client-info.ts';
import { AuthError, notFound } from '../errors.ts';
import type { CheckSecondFactor, LoginEvidence } from '../mfa/check-second-factor.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import { randomId } from '../random-id.ts';
import type { Scope } from '../scopes/scope.ts';
import type { ScopeTable } from '../scopes/scope-table.ts';
import type { Page } from '../storage/page.ts';
import type {
  PersonalAccessTokenRecord,
  PersonalAccessTokenRef,
  PersonalAccessTokenStore,
} from '../storage/personal-access-token-store.ts';
import type { CheckUserStatus } from '../users/check-user-status.ts';
import { denied, isEntitled, type UserStatus } from '../users/entitlement.ts';
import {
  hashPersonalAccessToken,
  newPersonalAccessToken,
  shownPrefix,
} from './personal-access-token.ts';
import type { PersonalAccessTokenPolicy } from './personal-access-token-policy.ts';

/** The form of token ids. A token that is sent instead of its id must not reach the storage. */
const TOKEN_ID = /^pat_[\w-]{22}$/;

/** The fields that a user specifies for a new token. */
export interface PersonalAccessTokenFields {
  readonly name: string;
  /** Canonical order, at least one. */
  readonly scopes: readonly Scope[];
  readonly accountId: AccountId | null;
  /** `undefined`: the policy's default. Longer than the policy allows: clamped. */
  readonly lifetimeSeconds: number | undefined;
}

/** The result of {@link PersonalAccessTokenRegistry.create}. */
export type CreateTokenOutcome =
  /** `token` is shown only this once. */
  | {
      readonly outcome: 'created';
      readonly record: PersonalAccessTokenRecord;
      readonly token: string;
    }
  /** The user is gone, disabled, has a new password or has left the account. Nothing was created. */
  | Exclude<UserStatus, { readonly outcome: 'good' }>
  /** The user has a second factor, and the login has not proved it. Nothing was created. */
  | { readonly outcome: 'factor_required' };

/** The login that requests a token. */
export interface RequestingLogin extends LoginEvidence {
  readonly userId: string;
  readonly authTimeMs: number;
}

/**
 * A user's personal access tokens, for the routes.
 *
 * @throws {AuthError} `not_found`, `invalid_scope`, `limit_reached`, `temporarily_unavailable`
 */
export interface PersonalAccessTokenRegistry {
  /**
   * Looks the user up in the user store: a user who has lost a right since the login must not get it back by a token
   * that lives for a year. Also rejects a login from before a change of the password, and a login that has not proved
   * the second factor that the user has now: either may be a thief's.
   */
  create(
    login: RequestingLogin,
    fields: PersonalAccessTokenFields,
    client: ClientInfo,
  ): Promise<CreateTokenOutcome>;
  list(userId: string, page: Page): Promise<readonly PersonalAccessTokenRecord[]>;
  /** Other processes may still accept the token until `staleSeconds` after this has resolved. */
  revoke(
    ref: PersonalAccessTokenRef & { readonly accountId?: AccountId | null },
    client: ClientInfo,
  ): Promise<void>;
}

export interface PersonalAccessTokenRegistryDeps {
  readonly store: Pick<PersonalAccessTokenStore, 'create' | 'list' | 'revoke'>;
  readonly checkUserStatus: CheckUserStatus;
  readonly checkSecondFactor: CheckSecondFactor;
  readonly scopeTable: ScopeTable;
  readonly policy: PersonalAccessTokenPolicy;
  readonly emit: (event: SecurityEvent) => void;
}

export function createPersonalAccessTokenRegistry(
  deps: PersonalAccessTokenRegistryDeps,
): PersonalAccessTokenRegistry {
  const { store, checkUserStatus, checkSecondFactor, scopeTable, policy, emit } = deps;

  return {
    async create(login, fields, client) {
      const { userId } = login;
      const { name, scopes, accountId, lifetimeSeconds } = fields;
      assertNoStepUpScope(scopes, scopeTable);
      const userStatus = await checkUserStatus({ ...login, accountId });
      if (userStatus.outcome !== 'good') return userStatus;
      const { user } = userStatus;
      if ((await checkSecondFactor(user, login)) === 'required')
        return { outcome: 'factor_required' };
      if (!isEntitled(user, scopes)) throw denied('scope_denied');
      const token = newPersonalAccessToken();
      const ref = { userId, tokenId: `pat_${randomId()}` };
      const created = await store.create(
        {
          ...ref,
          name,
          scopes,
          accountId,
          prefix: shownPrefix(token),
          tokenHash: hashPersonalAccessToken(token),
          ttlMs: 1000 * lifetime(lifetimeSeconds, policy),
        },
        { maxPerUser: policy.maxPerUser },
      );
      if (created.outcome === 'limit_reached') throw limitReached();
      const { expiresAtMs } = created.token;
      emit({
        type: 'personal_access_token.created',
        ...ref,
        scopes,
        accountId,
        expiresAtMs,
        ...client,
      });
      return { outcome: 'created', record: created.token, token };
    },

    list: (userId, page) => store.list(userId, page),

    async revoke({ userId, tokenId, accountId }, client) {
      const wasRevoked = TOKEN_ID.test(tokenId) && (await store.revoke({ userId, tokenId }));
      if (!wasRevoked) throw notFound();
      const ref = { userId, tokenId, accountId };
      emit({ type: 'personal_access_token.revoked', ...ref, actor: 'user', ...client });
    },
  };
}

/**
 * Rejects step-up scopes, such as `auth`: these are for the time after a login, and must not be stored in a script.
 *
 * @throws {AuthError} `invalid_scope`
 */
function assertNoStepUpScope(scopes: readonly Scope[], { stepsUp, stepUp }: ScopeTable): void {
  if (!stepsUp(scopes)) return;
  const names = stepUp.join(' or ');
  throw new AuthError('invalid_scope', `No personal access token has the scope ${names}.`);
}

function lifetime(requested: number | undefined, policy: PersonalAccessTokenPolicy): number {
  return Math.min(requested ?? policy.defaultLifetimeSeconds, policy.maxLifetimeSeconds);
}

function limitReached(): AuthError {
  return new AuthError(
    'limit_reached',
    'The user has as many personal access tokens as they may have.',
  );
}
