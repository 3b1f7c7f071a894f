import { clientOfRequest } from '../../../client-info/client-info.ts';
import { emptyResponse } from '../../../http/json-response.ts';
import type { FactorEnrolment } from '../../../mfa/factor-enrolment.ts';
import { defineRoute } from '../../define-route.ts';
import type { Route } from '../../route.ts';
import type { FactorChangeGuards } from './factor-change-guards.ts';

/** `DELETE /users/self/mfa/totp`: from now on only the password is needed to log in. */
export function deleteTotp(
  enrolment: Pick<FactorEnrolment, 'remove'>,
  guards: Pick<FactorChangeGuards, 'userForChange'>,
): Route {
  return defineRoute({
    method: 'DELETE',
    path: '/users/self/mfa/totp',
    operationId: 'removeTotp',
    summary: 'Remove the authenticator app and its recovery codes',
    auth: { scope: 'auth', credential: 'access_token' },
    answers: { 204: { description: 'The factor is removed.' } },
    errors: ['not_found'],

    async handle({ auth }, request, assertCredentialValid) {
      const user = await guards.userForChange(auth);
      // Checked before the change, which cannot be undone: the recovery codes are stored nowhere else.
      await assertCredentialValid();
      await enrolment.remove(user, clientOfRequest(request));
      return emptyResponse();
    },
  });
}
