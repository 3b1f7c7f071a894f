import { AuthError } from '../errors.ts';
import type { Scope } from '../scope.ts';
import type { User } from '../users.ts';

const DEFAULT_SCOPES: readonly Scope[] = ['user'];

/** What the directory entitles the user to. */
function entitledScopes(user: User): readonly Scope[] {
  return user.scopes ?? DEFAULT_SCOPES;
}

/**
 * What is left of scopes that were granted a while ago: what the user has lost since is lost, and `auth` is for
 * the moment after a login.
 */
export function lastingScopes(user: User, granted: readonly Scope[]): readonly Scope[] {
  const entitled = entitledScopes(user);
  return granted.filter((scope) => scope !== 'auth' && entitled.includes(scope));
}

/** @throws {AuthError} `invalid_scope` where the user is not entitled to all of them */
export function assertEntitled(user: User, scopes: readonly Scope[]): void {
  const entitled = entitledScopes(user);
  if (!scopes.every((scope) => entitled.includes(scope))) {
    throw new AuthError('invalid_scope', 'A scope was asked for that this user does not have.');
  }
}

/** @throws {AuthError} `access_denied`, alike for somebody else's account and for one that does not exist */
export function assertMember(user: User, accountId: number | null): void {
  if (accountId !== null && !user.accounts.includes(accountId)) {
    throw new AuthError('access_denied', 'This account is not one of the user’s.');
  }
}
