import type { AccountId, AccountIdKind } from '../account-id.ts';
import type { AuthError } from '../errors.ts';
import { errorResponse } from '../http/error-response.ts';
import { toAuthError } from '../http/to-auth-error.ts';
import { isPromise } from '../maybe-promise.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import type { Scope } from '../scopes/scope.ts';
import type { ScopeTable } from '../scopes/scope-table.ts';
import type { HostClaims } from '../tokens/host-claims.ts';
import type { Authenticate, Authentication } from './authenticate.ts';
import { authorize } from './authorize.ts';
import type { Bearer, BearerOutcome, BearerRequirement } from './bearer.ts';
import { rejectionOfUnauthenticated, rejectionOfUnauthorized } from './bearer-rejections.ts';
import { createWarnOfAccountKind } from './warn-of-account-kind.ts';

type AnyBearerOutcome = BearerOutcome<HostClaims, Scope, AccountId>;

export interface BearerDeps {
  readonly authenticate: Authenticate;
  readonly scopeTable: ScopeTable;
  readonly accountIdKind: AccountIdKind;
  readonly emit: (event: SecurityEvent) => void;
}

/** The bearer check: authenticates (token, then session), then authorizes (scope, kind, account). */
export function createBearer({
  authenticate,
  scopeTable,
  accountIdKind,
  emit,
}: BearerDeps): Bearer<HostClaims, Scope, AccountId> {
  const warnOfAccountKind = createWarnOfAccountKind(accountIdKind);
  return {
    scopes: scopeTable.names,
    check(authorization, requirement, head) {
      const authentication = authenticate(authorization, requirement, head);
      if (!isPromise(authentication)) return outcomeOf(authentication, requirement);
      return authentication.then(
        (settledAuthentication) => outcomeOf(settledAuthentication, requirement),
        (error: unknown) => rejection(toAuthError(error, emit)),
      );
    },
  };

  function outcomeOf(
    authentication: Authentication,
    requirement: BearerRequirement,
  ): AnyBearerOutcome {
    if (authentication.outcome !== 'authenticated') {
      return rejection(rejectionOfUnauthenticated(authentication));
    }
    const { auth } = authentication;
    const authorization = authorize(auth, requirement);
    if (authorization.outcome === 'allowed') return { outcome: 'passed', auth };
    if (authorization.outcome === 'foreign_account') warnOfAccountKind(requirement.accountId);
    return rejection(rejectionOfUnauthorized(authorization, scopeTable));
  }
}

/** A response of its own for each request, because hosts may add headers to it. */
function rejection(error: AuthError): AnyBearerOutcome {
  return { outcome: 'rejected', response: errorResponse(error) };
}
