import { clientOfRequest } from '../../../client-info/client-info.ts';
import { jsonResponse } from '../../../http/json-response.ts';
import type { FactorEnrolment } from '../../../mfa/factor-enrolment.ts';
import { defineRoute } from '../../define-route.ts';
import { jsonBody } from '../../json-body.ts';
import type { Route } from '../../route.ts';
import type { FactorChangeGuards } from './factor-change-guards.ts';
import { confirmFields, recoveryCodesAnswer } from './mfa-schemas.ts';

/** `POST /users/self/mfa/totp/confirm`: after its response, logins need the factor. */
export function postTotpConfirm(
  enrolment: Pick<FactorEnrolment, 'isEnrolled' | 'confirm' | 'withdraw'>,
  guards: Pick<FactorChangeGuards, 'userForEnrolment'>,
): Route {
  return defineRoute({
    method: 'POST',
    path: '/users/self/mfa/totp/confirm',
    operationId: 'confirmTotpEnrolment',
    summary: 'Enrol the authenticator app, by a code that it shows',
    auth: { scope: 'auth', credential: 'access_token' },
    body: jsonBody(confirmFields),
    answers: {
      200: {
        description: 'The recovery codes of the enrolled factor.',
        schema: recoveryCodesAnswer,
      },
    },
    errors: ['invalid_grant', 'not_found', 'limit_reached', 'too_many_requests'],

    async handle({ auth, body }, request, assertCredentialValid) {
      const client = clientOfRequest(request);
      const user = await guards.userForEnrolment(auth);
      const replaces = await enrolment.isEnrolled(user);
      // Checked before a replacement, which cannot be undone: the old factor is stored nowhere else.
      if (replaces) await assertCredentialValid();
      const login = { sessionId: auth.sessionId, client };
      const { enrolmentId, recoveryCodes } = await enrolment.confirm(user, login, body.code);
      const response = jsonResponse(200, { recovery_codes: recoveryCodes });
      if (replaces) return { response };
      return { response, undo: () => enrolment.withdraw(user, enrolmentId, client) };
    },
  });
}
