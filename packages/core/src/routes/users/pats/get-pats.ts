import { type AccountIdKind, isAccountId } from '../../../account-id.ts';
import { jsonResponse } from '../../../http/json-response.ts';
import type { PersonalAccessTokenRegistry } from '../../../personal-access-tokens/personal-access-token-registry.ts';
import { listPage, pageAnswer } from '../../../schema/list-page.ts';
import type { ScopeTable } from '../../../scopes/scope-table.ts';
import { defineRoute } from '../../define-route.ts';
import type { Route } from '../../route.ts';
import { patBody } from './pat-body.ts';
import { type PatSchemas, patPageQuery } from './pat-schemas.ts';

/**
 * `GET /users/self/pats`: live tokens, in the order of creation. Leaves out tokens that were bound to an account before
 * the option `accounts.id` (integer or string) was changed, because they are rejected everywhere.
 */
export function getPats(
  registry: Pick<PersonalAccessTokenRegistry, 'list'>,
  scopeTable: ScopeTable,
  accountIdKind: AccountIdKind,
  { patAnswer }: PatSchemas,
): Route {
  return defineRoute({
    method: 'GET',
    path: '/users/self/pats',
    operationId: 'listPersonalAccessTokens',
    summary: 'The personal access tokens of the user, oldest first',
    auth: { scope: 'auth', credential: 'access_token' },
    query: patPageQuery,
    answers: { 200: { description: 'A page of the list.', schema: pageAnswer(patAnswer) } },

    async handle({ auth, query }) {
      const list = await listPage(query, (page) => registry.list(auth.userId, page));
      const data = list.items
        .filter(({ accountId }) => accountId === null || isAccountId(accountIdKind, accountId))
        .map((record) => patBody(record, scopeTable));
      return jsonResponse(200, { data, next_cursor: list.nextCursor });
    },
  });
}
