import type { AccountId } from '../account-id.ts';
import type { Scope } from '../scopes/scope.ts';
import type { AnyAuthInfo } from './auth-info.ts';
import type { BearerRequirement } from './bearer.ts';

/** Whether the credential of a request meets the requirement of its route. */
export type Authorization =
  | { readonly outcome: 'allowed' }
  /** One of the scopes `required` is missing. */
  | { readonly outcome: 'scope_missing'; readonly required: readonly Scope[] }
  /** The credential is of another kind than the route accepts. */
  | { readonly outcome: 'wrong_credential' }
  /** The user does not have the account, or the token is bound to another account. */
  | { readonly outcome: 'foreign_account' };

const ALLOWED: Authorization = { outcome: 'allowed' };
const WRONG_CREDENTIAL: Authorization = { outcome: 'wrong_credential' };
const FOREIGN_ACCOUNT: Authorization = { outcome: 'foreign_account' };

/** Checks scope, then kind of credential, then account. */
export function authorize(
  auth: AnyAuthInfo,
  requirement: Omit<BearerRequirement, 'checkSession'>,
): Authorization {
  const { scope, credential } = requirement;
  if (scope !== undefined && !hasScopes(auth, scope)) {
    return { outcome: 'scope_missing', required: typeof scope === 'string' ? [scope] : scope };
  }
  if (credential !== undefined && credential !== auth.credential) return WRONG_CREDENTIAL;
  // `in`, because `undefined` must be rejected: a route that could not read its account must not be open to everybody.
  if ('accountId' in requirement && !mayActFor(auth, requirement.accountId)) return FOREIGN_ACCOUNT;
  // The option of `requireAuth`, which a host that calls `bearer.check` may confuse with `accountId`.
  if ('account' in requirement) return FOREIGN_ACCOUNT;
  return ALLOWED;
}

function hasScopes(auth: AnyAuthInfo, required: Scope | readonly Scope[]): boolean {
  if (typeof required === 'string') return auth.scopes.includes(required);
  return required.every((scope) => auth.scopes.includes(scope));
}

/** Whether the credential may act for an account: the user must have it, and the credential be bound to no other. */
export function mayActFor(
  auth: Pick<AnyAuthInfo, 'accountId' | 'accounts'>,
  accountId: AccountId | undefined,
): accountId is AccountId {
  if (accountId === undefined) return false;
  const isBoundElsewhere = auth.accountId !== null && auth.accountId !== accountId;
  return !isBoundElsewhere && auth.accounts.includes(accountId);
}
