import { clientOfRequest } from '../../../client-info/client-info.ts';
import { jsonResponse } from '../../../http/json-response.ts';
import type { FactorEnrolment } from '../../../mfa/factor-enrolment.ts';
import { defineRoute } from '../../define-route.ts';
import type { Route } from '../../route.ts';
import type { FactorChangeGuards } from './factor-change-guards.ts';
import { recoveryCodesAnswer } from './mfa-schemas.ts';

/** `POST /users/self/mfa/recovery-codes`: new recovery codes, which replace the old ones. */
export function postRecoveryCodes(
  enrolment: Pick<FactorEnrolment, 'replaceRecoveryCodes'>,
  guards: Pick<FactorChangeGuards, 'userForChange'>,
): Route {
  return defineRoute({
    method: 'POST',
    path: '/users/self/mfa/recovery-codes',
    operationId: 'replaceRecoveryCodes',
    summary: 'Make new recovery codes in place of the old ones',
    auth: { scope: 'auth', credential: 'access_token' },
    answers: { 200: { description: 'The new recovery codes.', schema: recoveryCodesAnswer } },
    errors: ['not_found'],

    async handle({ auth }, request, assertCredentialValid) {
      const user = await guards.userForChange(auth);
      // Checked before the change, which cannot be undone.
      await assertCredentialValid();
      const codes = await enrolment.replaceRecoveryCodes(user, clientOfRequest(request));
      // A pending change without an undo: a client whose login has ended meanwhile gets no codes.
      return { response: jsonResponse(200, { recovery_codes: codes }) };
    },
  });
}
