import type { LoginStanding } from '../users/login-standing.ts';
import { type AssertStillGood, createAssertStillGood } from './assert-still-good.ts';
import { type AuthenticateDeps, createAuthenticate } from './authenticate.ts';
import { type AuthorizeRequest, createAuthorizeRequest } from './authorize-request.ts';
import type { Bearer } from './bearer.ts';
import { createBearer } from './create-bearer.ts';
import { createLoadCurrentAuth } from './load-current-auth.ts';

/** All that looks at the `Authorization` of a request. */
export interface BearerChecks {
  /** For the routes of the host. */
  readonly bearer: Bearer;
  /** For our own routes, before the request is read. */
  readonly authorizeRequest: AuthorizeRequest;
  /** For our own routes, once the request is read. */
  readonly assertStillGood: AssertStillGood;
}

export interface BearerChecksDeps extends AuthenticateDeps {
  readonly loginStanding: LoginStanding;
}

export function createBearerChecks(deps: BearerChecksDeps): BearerChecks {
  const authenticate = createAuthenticate(deps);
  return {
    bearer: createBearer(authenticate, deps.emit),
    authorizeRequest: createAuthorizeRequest(
      authenticate,
      createLoadCurrentAuth(deps.loginStanding),
      deps.emit,
    ),
    assertStillGood: createAssertStillGood(authenticate),
  };
}
