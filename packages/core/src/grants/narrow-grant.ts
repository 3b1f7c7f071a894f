import type { AccountId } from '../account-id.ts';
import { AuthError } from '../errors.ts';
import type { Scope } from '../scopes/scope.ts';
import type { ScopeTable } from '../scopes/scope-table.ts';
import type { SessionGrant } from '../storage/session-store.ts';
import { type Denial, denied, isMember, lastingScopes } from '../users/entitlement.ts';
import type { AnyUser } from '../users/users.ts';

/** The account and the scopes that a refresh requests. */
export interface GrantRequest {
  readonly accountId: AccountId | null;
  /** `undefined`: all granted scopes that the user still has. */
  readonly scopes: readonly Scope[] | undefined;
}

/** The account and the scopes that the login was granted. */
type LoginGrant = Pick<SessionGrant, 'accountId' | 'scopes'>;

/** The refresh requests more than its login was granted. */
interface RejectedGrant {
  readonly outcome: 'rejected';
  readonly reason: Denial;
  /** The error to throw if the session is live; a session that has ended has its own error. */
  readonly error: AuthError;
}

/** The account and the scopes that a refresh gets. */
export type NarrowedGrant =
  | {
      readonly outcome: 'granted';
      readonly accountId: AccountId | null;
      readonly scopes: readonly Scope[];
    }
  | RejectedGrant;

/** Decides what a refresh gets: no more than its login was granted and the user still has. Reads no storage. */
export function narrowGrant(
  user: AnyUser,
  loginGrant: LoginGrant,
  request: GrantRequest,
  scopeTable: ScopeTable,
): NarrowedGrant {
  const account = requestedAccount(user, loginGrant.accountId, request.accountId);
  if (account.outcome === 'rejected') return account;
  const { accountId } = account;
  const scopes = grantableScopes(user, loginGrant.scopes, request.scopes, scopeTable);
  if (scopes !== null) return { outcome: 'granted', accountId, scopes };
  const error = new AuthError('invalid_scope', 'The session does not have these scopes to give.');
  return { outcome: 'rejected', reason: 'scope_denied', error };
}

/**
 * Rejects an account other than the one that the session is bound to (`invalid_request`), and an account that the user
 * does not have (`access_denied`).
 */
function requestedAccount(
  user: AnyUser,
  boundId: AccountId | null,
  requestedId: AccountId | null,
): { readonly outcome: 'granted'; readonly accountId: AccountId | null } | RejectedGrant {
  if (requestedId === null || requestedId === boundId) {
    return { outcome: 'granted', accountId: boundId };
  }
  if (boundId === null && isMember(user, requestedId)) {
    return { outcome: 'granted', accountId: requestedId };
  }
  const error = boundId === null ? denied('account_denied') : boundElsewhere();
  return { outcome: 'rejected', reason: 'account_denied', error };
}

/**
 * Drops scopes that the user has lost since the login, or that a refresh never issues, such as `auth`: clients repeat
 * the scopes of their login, and RFC 6749 6 forbids only scopes that were not granted. `null` if the client requests a
 * scope that was not granted, or if no scope remains.
 */
function grantableScopes(
  user: AnyUser,
  grantedScopes: readonly string[],
  requestedScopes: readonly string[] | undefined,
  scopeTable: ScopeTable,
): readonly Scope[] | null {
  if (requestedScopes?.some((scope) => !grantedScopes.includes(scope))) return null;
  const scopes = lastingScopes(user, requestedScopes ?? grantedScopes, scopeTable);
  return scopes.length > 0 ? scopes : null;
}

function boundElsewhere(): AuthError {
  return new AuthError('invalid_request', 'The session is bound to another account.', {
    fields: [{ field: 'account_id', message: 'must be the account of the login' }],
  });
}
