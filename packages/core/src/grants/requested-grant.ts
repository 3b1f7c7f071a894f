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

/** More than the session has to give. */
export interface Excess {
  readonly outcome: 'excess';
  readonly reason: Denial;
  /** For the client of a session that is alive. */
  readonly error: AuthError;
}

/** What a refresh is given of what it asks for. */
export type RequestedGrant =
  | {
      readonly outcome: 'granted';
      readonly accountId: AccountId | null;
      readonly scopes: readonly Scope[];
    }
  | Excess;

/** Decides what a refresh gets: of what was granted to its login, what the user still has. Asks no storage. */
export function requestedGrant(
  user: AnyUser,
  granted: Granted,
  asked: GrantRequest,
  scopeTable: ScopeTable,
): RequestedGrant {
  const account = requestedAccount(user, granted.accountId, asked.accountId);
  if (account.outcome === 'excess') return account;
  const { accountId } = account;
  const scopes = grantableScopes(user, granted.scopes, asked.scopes, scopeTable);
  if (scopes !== null) return { outcome: 'granted', accountId, scopes };
  const error = new AuthError('invalid_scope', 'The session does not have these scopes to give.');
  return { outcome: 'excess', reason: 'scope_denied', error };
}

/** The excess is `invalid_request` for another account than the bound one, `access_denied` for a foreign one. */
function requestedAccount(
  user: AnyUser,
  bound: AccountId | null,
  asked: AccountId | null,
): { readonly outcome: 'granted'; readonly accountId: AccountId | null } | Excess {
  if (asked === null || asked === bound) return { outcome: 'granted', accountId: bound };
  if (bound === null && isMember(user, asked)) return { outcome: 'granted', accountId: asked };
  const error = bound === null ? denied('account_denied') : boundElsewhere();
  return { outcome: 'excess', reason: 'account_denied', error };
}

/**
 * A scope that was granted and is gone since, as `auth` always is, is left out without a rejection, since clients
 * repeat the scopes of their login (RFC 6749 6 forbids only what was not granted). `null` where more is asked for than
 * was granted, or nothing is left.
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
