import type { AccountId, AccountIdKind } from '../account-id.ts';
import type { Scope } from '../scopes/scope.ts';
import type { HostClaims } from '../tokens/host-claims.ts';
import type { CheckUserStatus } from '../users/check-user-status.ts';
import {
  type AssertCredentialValid,
  createAssertCredentialValid,
} from './assert-credential-valid.ts';
import { type AuthenticateDeps, createAuthenticate } from './authenticate.ts';
import { type AuthorizeRequest, createAuthorizeRequest } from './authorize-request.ts';
import type { Bearer } from './bearer.ts';
import { createBearer } from './create-bearer.ts';
import { createLoadCurrentAuth } from './load-current-auth.ts';

/** The checks of a request's credential. */
export interface BearerChecks {
  /** For the routes of the host. */
  readonly bearer: Bearer<HostClaims, Scope, AccountId>;
  /** For Latchhook's own routes, before the query and the body are read. */
  readonly authorizeRequest: AuthorizeRequest;
  /** For Latchhook's own routes, after the query and the body were read. */
  readonly assertCredentialValid: AssertCredentialValid;
}

export interface BearerChecksDeps extends AuthenticateDeps {
  readonly checkUserStatus: CheckUserStatus;
  readonly accountIdKind: AccountIdKind;
}

export function createBearerChecks(deps: BearerChecksDeps): BearerChecks {
  const { checkUserStatus, scopeTable, accountIdKind, emit } = deps;
  const authenticate = createAuthenticate(deps);
  return {
    bearer: createBearer({ authenticate, scopeTable, accountIdKind, emit }),
    authorizeRequest: createAuthorizeRequest(
      authenticate,
      createLoadCurrentAuth(checkUserStatus),
      scopeTable,
      emit,
    ),
    assertCredentialValid: createAssertCredentialValid(authenticate),
  };
}
