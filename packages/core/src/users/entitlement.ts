import type { AccountId } from '../account-id.ts';
import { AuthError } from '../errors.ts';
import type { Scope } from '../scopes/scope.ts';
import type { ScopeTable } from '../scopes/scope-table.ts';
import type { AnyUser } from './users.ts';

const DEFAULT_SCOPES: readonly Scope[] = ['user'];

/** The scopes to which the user store entitles the user. */
function entitledScopes(user: AnyUser): readonly Scope[] {
  return user.scopes ?? DEFAULT_SCOPES;
}

/** Whether the user store entitles the user to all of these scopes. */
export function isEntitled(user: AnyUser, scopes: readonly Scope[]): boolean {
  const entitled = entitledScopes(user);
  return scopes.every((scope) => entitled.includes(scope));
}

/**
 * The granted scopes that a later token has: without scopes that the user has lost since then, without step-up scopes
 * such as `auth`, and without scopes that the app no longer has.
 */
export function lastingScopes(
  user: AnyUser,
  granted: readonly string[],
  scopeTable: ScopeTable,
): readonly Scope[] {
  const entitled = entitledScopes(user);
  return scopeTable.lasting(granted).filter((scope) => entitled.includes(scope));
}

/** The user's accounts, each once, even if the user store repeats one. */
export function accountsOf(user: AnyUser): readonly AccountId[] {
  return [...new Set(user.accounts)];
}

/** The accounts that an access token names: the account that it is bound to, if the user has it; if unbound, all. */
export function accountsFor(user: AnyUser, accountId: AccountId | null): readonly AccountId[] {
  if (accountId === null) return accountsOf(user);
  return isMember(user, accountId) ? [accountId] : [];
}

/** Whether the account is one of the user's. `null` stands for none, which is always allowed. */
export function isMember(user: AnyUser, accountId: AccountId | null): boolean {
  return accountId === null || user.accounts.includes(accountId);
}

/** Why a request for accounts or scopes is denied. */
export type Denial =
  | 'account_denied'
  | 'scope_denied'
  /** The request names no account, and a token cannot name all accounts of the user. */
  | 'too_many_accounts';

const TOO_MANY_ACCOUNTS =
  'The user has more accounts than a token can name; bind the login to one of them by account_id.';

/** The error of a denial, which is the same for another user's account and for an account that does not exist. */
export function denied(denial: Denial): AuthError {
  switch (denial) {
    case 'account_denied':
      return new AuthError('access_denied', 'This account does not belong to the user.');
    case 'scope_denied':
      return new AuthError('invalid_scope', 'A scope was asked for that this user does not have.');
    case 'too_many_accounts':
      return new AuthError('invalid_request', TOO_MANY_ACCOUNTS, {
        fields: [{ field: 'account_id', message: 'is required for a user of so many accounts' }],
      });
  }
}

/** Whether a user exists, is enabled, and belongs to the account of a login; if not, why. */
export type Access =
  | { readonly outcome: 'good'; readonly user: AnyUser }
  | { readonly outcome: 'user_gone' | 'user_disabled' | 'membership_lost' };

/** Whether a user may still use what a login granted, and if not, why. */
export type UserStatus = Access | { readonly outcome: 'password_changed' };

/** The facts of a login that never change. */
export interface LoginFacts {
  /** The account that the login was bound to, or `null`. */
  readonly accountId: AccountId | null;
  readonly authTimeMs: number;
}

/**
 * Checks a login against the current user of the user store: since the login, the user may have been removed or
 * disabled, may have left the account, or may have got a new password.
 */
export function userStatusOf(
  user: AnyUser | null,
  { accountId, authTimeMs }: LoginFacts,
): UserStatus {
  const access = accessOf(user, accountId);
  if (access.outcome !== 'good') return access;
  const changedAtMs = access.user.passwordChangedAtMs ?? 0;
  return changedAtMs > authTimeMs ? { outcome: 'password_changed' } : access;
}

/**
 * Like {@link userStatusOf}, but ignores a change of the password: personal access tokens outlive it, and the answer to
 * a challenge checks it only after an attempt was reserved.
 */
export function accessOf(user: AnyUser | null, accountId: AccountId | null): Access {
  if (user === null) return { outcome: 'user_gone' };
  if (user.disabled) return { outcome: 'user_disabled' };
  return isMember(user, accountId) ? { outcome: 'good', user } : { outcome: 'membership_lost' };
}
