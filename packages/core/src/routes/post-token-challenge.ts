import type { ChallengeGrant } from '../grants/challenge-grant.ts';
import { defineRoute } from './define-route.ts';
import { requestClient } from './request-client.ts';
import { requestedScopes } from './requested-scopes.ts';
import type { Route } from './route.ts';
import { tokenBodyOrForm } from './token-body.ts';
import { tokenResponse } from './token-responses.ts';
import { challengeFields, challengeForm, tokenAnswer } from './token-schemas.ts';

/** `POST /token/challenge`: finish a login with a code of the second factor. */
export function postTokenChallenge(challengeGrant: ChallengeGrant): Route {
  return defineRoute({
    method: 'POST',
    path: '/token/challenge',
    operationId: 'answerChallenge',
    summary: 'Answer an MFA challenge',
    body: tokenBodyOrForm(challengeFields, challengeForm),
    answers: {
      200: { description: 'The tokens, in the representation of the login.', schema: tokenAnswer },
    },
    errors: ['invalid_scope', 'invalid_grant', 'access_denied', 'too_many_requests'],

    async handle({ body }, request) {
      const { tokens, version } = await challengeGrant({
        challenge: body.challenge,
        code: body.code,
        scopes: requestedScopes(body) ?? ['user'],
        expirationSeconds: body.expiration_seconds,
        client: requestClient(request),
      });
      return tokenResponse(tokens, version);
    },
  });
}
