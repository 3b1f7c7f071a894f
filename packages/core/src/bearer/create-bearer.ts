import { isPromise } from '../awaitable.ts';
import type { AuthError } from '../errors.ts';
import { emitRefusalOf } from '../http/emit-refusal-of.ts';
import { errorResponse } from '../http/error-response.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import type { Authenticate, Authentication } from './authenticate.ts';
import { authorize } from './authorize.ts';
import type { Bearer, BearerOutcome, BearerRequirement } from './bearer.ts';
import { badToken, noToken, refusalOfUnauthorized } from './bearer-refusals.ts';

const NO_TOKEN = refusal(noToken);
const BAD_TOKEN = refusal(badToken);

/** The bearer check: who asks (token, then session), then whether they may (scope, kind, account). */
export function createBearer(
  authenticate: Authenticate,
  emit: (event: SecurityEvent) => void,
): Bearer {
  return {
    check(authorization, requirement) {
      const authentication = authenticate(authorization, requirement);
      if (!isPromise(authentication)) return outcomeOf(authentication, requirement);
      return authentication.then(
        (settled) => outcomeOf(settled, requirement),
        (error: unknown) => refusal(emitRefusalOf(error, emit)),
      );
    },
  };
}

function outcomeOf(authentication: Authentication, requirement: BearerRequirement): BearerOutcome {
  if (authentication.outcome === 'absent') return NO_TOKEN;
  if (authentication.outcome === 'invalid') return BAD_TOKEN;
  const { auth } = authentication;
  const authorization = authorize(auth, requirement);
  return authorization.outcome === 'allowed'
    ? { outcome: 'passed', auth }
    : refusal(refusalOfUnauthorized(authorization));
}

function refusal(error: AuthError): BearerOutcome {
  return { outcome: 'refused', response: errorResponse(error) };
}
