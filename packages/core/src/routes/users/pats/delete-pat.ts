import { clientOfRequest } from '../../../client-info/client-info.ts';
import { emptyResponse } from '../../../http/json-response.ts';
import type { PersonalAccessTokenRegistry } from '../../../personal-access-tokens/personal-access-token-registry.ts';
import { defineRoute } from '../../define-route.ts';
import type { Route } from '../../route.ts';

/** `DELETE /users/self/pats/{id}`: revokes a personal access token. */
export function deletePat(registry: Pick<PersonalAccessTokenRegistry, 'revoke'>): Route {
  return defineRoute({
    method: 'DELETE',
    path: '/users/self/pats/{id}',
    operationId: 'revokePersonalAccessToken',
    summary: 'Revoke a personal access token',
    auth: { scope: 'auth', credential: 'access_token' },
    answers: { 204: { description: 'The token is revoked.' } },

    async handle({ auth: { userId }, params }, request) {
      await registry.revoke({ userId, tokenId: params.id }, clientOfRequest(request));
      return emptyResponse();
    },
  });
}
