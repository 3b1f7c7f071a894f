import type { AccountId } from '../account-id.ts';
import { AuthError } from '../errors.ts';
import type { Scope } from '../scopes/scope.ts';
import type { ScopeTable } from '../scopes/scope-table.ts';
import type { SessionGrant } from '../storage/session-store.ts';
import { type Denial, denied, isMember, lastingScopes } from '../users/entitlement.ts';
import type { AnyUser } from '../users/users.ts';

/** What a refresh asks for. */
export interface GrantRequest {
  readonly accountId: AccountId | null;
  /** `undefined`: those granted, as far as the user still has them. */
  readonly scopes: readonly Scope[] | undefined;
}

/** What a login was granted. */
type Granted = Pick<SessionGrant, 'accountId' | 'scopes'>;

/** The refresh asks for more than was granted. */
export interface RejectedGrant {
  readonly outcome: 'rejected';
  readonly reason: Denial;
  /** The error to throw if the session is live: one that has ended has an error of its own. */
  readonly error: AuthError;
}

/** What a refresh gets. */
export type RequestedGrant =
  | {
      readonly outcome: 'granted';
      readonly accountId: AccountId | null;
      readonly scopes: readonly Scope[];
    }
  | RejectedGrant;

/** Decides what a refresh gets: no more than its login was granted, and than the user still has. Asks no storage. */
export function requestedGrant(
  user: AnyUser,
  granted: Granted,
  asked: GrantRequest,
  scopeTable: ScopeTable,
): RequestedGrant {
  const account = requestedAccount(user, granted.accountId, asked.accountId);
  if (account.outcome === 'rejected') return account;
  const { accountId } = account;
  const scopes = grantableScopes(user, granted.scopes, asked.scopes, scopeTable);
  if (scopes !== null) return { outcome: 'granted', accountId, scopes };
  const error = new AuthError('invalid_scope', 'The session does not have these scopes to give.');
  return { outcome: 'rejected', reason: 'scope_denied', error };
}

/** Rejected are another account than the bound one (`invalid_request`), and one of another user (`access_denied`). */
function requestedAccount(
  user: AnyUser,
  bound: AccountId | null,
  asked: AccountId | null,
): { readonly outcome: 'granted'; readonly accountId: AccountId | null } | RejectedGrant {
  if (asked === null || asked === bound) return { outcome: 'granted', accountId: bound };
  if (bound === null && isMember(user, asked)) return { outcome: 'granted', accountId: asked };
  const error = bound === null ? denied('account_denied') : boundElsewhere();
  return { outcome: 'rejected', reason: 'account_denied', error };
}

/**
 * Leaves out scopes that were granted and that the user has lost since (or that a refresh never gives, such as `auth`):
 * clients repeat the scopes of their login, and RFC 6749 6 forbids only scopes that were not granted. `null` if more is
 * asked for than was granted, or nothing is left.
 */
function grantableScopes(
  user: AnyUser,
  granted: readonly string[],
  asked: readonly string[] | undefined,
  scopeTable: ScopeTable,
): readonly Scope[] | null {
  if (asked?.some((scope) => !granted.includes(scope))) return null;
  const left = lastingScopes(user, asked ?? granted, scopeTable);
  return left.length > 0 ? left : null;
}

function boundElsewhere(): AuthError {
  return new AuthError('invalid_request', 'The session is bound to another account.', {
    fields: [{ field: 'account_id', message: 'must be the account of the login' }],
  });
}
