import { clientOfRequest } from '../../../client-info/client-info.ts';
import { jsonResponse } from '../../../http/json-response.ts';
import type { FactorEnrolment } from '../../../mfa/factor-enrolment.ts';
import { defineRoute } from '../../define-route.ts';
import type { Route } from '../../route.ts';
import type { FactorChangeGuards } from './factor-change-guards.ts';
import { enrolmentAnswer } from './mfa-schemas.ts';

/** `POST /users/self/mfa/totp`: returns a secret, which has no effect until a code has proved it. */
export function postTotp(
  enrolment: Pick<FactorEnrolment, 'begin'>,
  guards: Pick<FactorChangeGuards, 'userForEnrolment'>,
): Route {
  return defineRoute({
    method: 'POST',
    path: '/users/self/mfa/totp',
    operationId: 'beginTotpEnrolment',
    summary: 'Begin to enrol an authenticator app',
    auth: { scope: 'auth', credential: 'access_token' },
    answers: { 201: { description: 'The secret of the new factor.', schema: enrolmentAnswer } },
    errors: ['limit_reached', 'too_many_requests'],

    async handle({ auth }, request) {
      const user = await guards.userForEnrolment(auth);
      const { secret, otpauthUri, qrSvg } = await enrolment.begin(user, {
        sessionId: auth.sessionId,
        client: clientOfRequest(request),
      });
      return jsonResponse(201, { secret, otpauth_uri: otpauthUri, qr_svg: qrSvg });
    },
  });
}
