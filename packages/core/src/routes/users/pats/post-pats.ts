import type { AccountId } from '../../../account-id.ts';
import { badToken, foreignAccount } from '../../../bearer/bearer-rejections.ts';
import { clientOfRequest } from '../../../client-info/client-info.ts';
import type { AuthError } from '../../../errors.ts';
import { jsonResponse } from '../../../http/json-response.ts';
import type {
  CreateTokenOutcome,
  PersonalAccessTokenRegistry,
} from '../../../personal-access-tokens/personal-access-token-registry.ts';
import { requestedScopes, type ScopeTable } from '../../../scopes/scope-table.ts';
import type { AccessTokenInfo } from '../../../tokens/access-token-info.ts';
import { defineRoute } from '../../define-route.ts';
import { jsonBody } from '../../json-body.ts';
import type { Route } from '../../route.ts';
import { factorRequired } from '../login-rejections.ts';
import { newPatBody } from './pat-body.ts';
import type { PatSchemas } from './pat-schemas.ts';

/** `POST /users/self/pats`: the only response that contains the token. */
export function postPats(
  registry: Pick<PersonalAccessTokenRegistry, 'create' | 'revoke'>,
  scopeTable: ScopeTable,
  { newPatFields, newPatAnswer }: PatSchemas,
): Route {
  return defineRoute({
    method: 'POST',
    path: '/users/self/pats',
    operationId: 'createPersonalAccessToken',
    summary: 'Make a personal access token',
    auth: { scope: 'auth', credential: 'access_token' },
    body: jsonBody(newPatFields),
    answers: { 201: { description: 'The new token.', schema: newPatAnswer } },
    errors: ['invalid_scope', 'access_denied', 'limit_reached'],

    async handle({ auth, body }, request) {
      const fields = {
        name: body.name,
        scopes: requestedScopes(body, scopeTable) ?? [],
        accountId: boundAccount(auth, body.account_id),
        lifetimeSeconds: body.expiration_seconds,
      };
      const client = clientOfRequest(request);
      const created = await registry.create(auth, fields, client);
      if (created.outcome !== 'created') throw rejectionOf(created);
      const { record, token } = created;
      return {
        response: jsonResponse(201, newPatBody(record, token, scopeTable)),
        undo: () => registry.revoke(record, client),
      };
    },
  });
}

function rejectionOf({
  outcome,
}: Exclude<CreateTokenOutcome, { readonly outcome: 'created' }>): AuthError {
  switch (outcome) {
    case 'membership_lost':
      return foreignAccount;
    case 'factor_required':
      return factorRequired;
    case 'user_gone':
    case 'user_disabled':
    case 'password_changed':
      return badToken;
  }
}

/**
 * Security: an access token that is bound to an account creates tokens only for that account; otherwise its holder
 * could escape the binding.
 *
 * @throws {AuthError} `access_denied`
 */
function boundAccount(auth: AccessTokenInfo, requested: AccountId | undefined): AccountId | null {
  const { accountId: bound } = auth;
  if (requested === undefined) return bound;
  if (bound !== null && requested !== bound) throw foreignAccount;
  return requested;
}
