import type { ChallengeGrant } from '../grants/challenge-grant.ts';
import { parseBody, readBody } from '../http/read-body.ts';
import { requestOrigin } from './request-origin.ts';
import { requestedScopes } from './requested-scopes.ts';
import type { Route } from './route.ts';
import { tokenResponse } from './token-responses.ts';
import { challengeFields, tokenAnswer } from './token-schemas.ts';

const FORMATS = ['json', 'form'] as const;

/** `POST /token/challenge`: finish a login with a code of the second factor. */
export function postTokenChallenge(challengeGrant: ChallengeGrant): Route {
  return {
    method: 'POST',
    path: '/token/challenge',
    operationId: 'answerChallenge',
    summary: 'Answer an MFA challenge',
    body: { schemas: [challengeFields], formats: FORMATS },
    answers: {
      200: { description: 'The tokens, in the representation of the login.', schema: tokenAnswer },
    },
    errors: ['invalid_scope', 'invalid_grant', 'access_denied', 'too_many_requests'],

    async handle(request) {
      const fields = parseBody(challengeFields, readBody(request, FORMATS));
      const { tokens, version } = await challengeGrant({
        challenge: fields.challenge,
        code: fields.code,
        scopes: requestedScopes(fields) ?? ['user'],
        expirationSeconds: fields.expiration_seconds,
        origin: requestOrigin(request),
      });
      return tokenResponse(tokens, version);
    },
  };
}
