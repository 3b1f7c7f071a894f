import { jsonResponse } from '../../../http/json-response.ts';
import type { FactorEnrolment } from '../../../mfa/factor-enrolment.ts';
import { defineRoute } from '../../define-route.ts';
import { jsonBody } from '../../json-body.ts';
import { requestOrigin } from '../../request-origin.ts';
import type { Route } from '../../route.ts';
import type { EnrollingUser } from './enrolling-users.ts';
import { confirmFields, recoveryCodesAnswer } from './mfa-schemas.ts';

/** `POST /users/self/mfa/totp/confirm`: from its answer on, logins need the factor. */
export function postTotpConfirm(
  enrolment: Pick<FactorEnrolment, 'confirm'>,
  enrollingUser: EnrollingUser,
): Route {
  return defineRoute({
    method: 'POST',
    path: '/users/self/mfa/totp/confirm',
    operationId: 'confirmEnrolment',
    summary: 'Enrol the authenticator app, by a code that it shows',
    auth: { scope: 'auth', credential: 'access_token' },
    body: jsonBody(confirmFields),
    answers: { 200: { description: 'It is enrolled.', schema: recoveryCodesAnswer } },
    errors: ['invalid_grant', 'not_found', 'limit_reached', 'too_many_requests'],

    async handle({ auth, body }, request) {
      const codes = await enrolment.confirm(
        await enrollingUser(auth),
        body.code,
        requestOrigin(request),
      );
      return jsonResponse(200, { recovery_codes: codes });
    },
  });
}
