import { clientOfRequest } from '../client-info/client-info.ts';
import type { SessionCookies } from '../cookies/session-cookies.ts';
import type { ChallengeGrant } from '../grants/challenge-grant.ts';
import { requestedScopes, type ScopeTable } from '../scopes/scope-table.ts';
import { defineRoute } from './define-route.ts';
import type { Route } from './route.ts';
import { tokenBodyOrForm } from './token-body.ts';
import { tokenResponse } from './token-responses.ts';
import { challengeFields, challengeForm, type TokenSchemas } from './token-schemas.ts';

/** `POST /token/challenge`: completes a login by a code of the second factor. */
export function postTokenChallenge(
  challengeGrant: ChallengeGrant,
  scopeTable: ScopeTable,
  { tokenAnswer, tokenOrCookieAnswer }: TokenSchemas,
  cookies?: SessionCookies,
): Route {
  return defineRoute({
    method: 'POST',
    path: '/token/challenge',
    operationId: 'answerChallenge',
    summary: 'Answer an MFA challenge',
    body: tokenBodyOrForm(challengeFields(scopeTable), challengeForm(scopeTable)),
    answers: {
      200: {
        description: 'The tokens, in the representation of the version with which the login began.',
        schema: cookies === undefined ? tokenAnswer : tokenOrCookieAnswer,
      },
    },
    errors: ['invalid_scope', 'invalid_grant', 'access_denied', 'too_many_requests'],

    async handle({ body }, request) {
      const requestedCookies = cookies?.requestedBy(request);
      const { tokens, version } = await challengeGrant({
        challenge: body.challenge,
        code: body.code,
        scopes: requestedScopes(body, scopeTable) ?? ['user'],
        expirationSeconds: body.expiration_seconds,
        client: clientOfRequest(request),
        maxTokenChars: requestedCookies?.maxTokenChars,
      });
      return tokenResponse(tokens, version, requestedCookies);
    },
  });
}
