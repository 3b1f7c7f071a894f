import { jsonResponse } from '../../http/json-response.ts';
import { listPage, pageAnswer } from '../../schema/list-page.ts';
import type { WebhookRegistry } from '../../webhooks/registry/webhook-registry.ts';
import { accountOfRequest } from '../account-of-request.ts';
import { defineRoute } from '../define-route.ts';
import type { Route } from '../route.ts';
import { webhookAuth } from './webhook-auth.ts';
import type { WebhookBody } from './webhook-bodies.ts';
import type { WebhookSchemas } from './webhook-schemas.ts';

/** `GET /webhooks`: the webhooks of an account, in the order of creation. */
export function getWebhooks(
  registry: Pick<WebhookRegistry, 'list'>,
  webhookBody: WebhookBody,
  { accountPageQuery, webhookAnswer }: WebhookSchemas,
): Route {
  return defineRoute({
    method: 'GET',
    path: '/webhooks',
    operationId: 'listWebhooks',
    summary: 'The webhooks of an account, oldest first',
    auth: webhookAuth,
    query: accountPageQuery,
    answers: { 200: { description: 'A page of the list.', schema: pageAnswer(webhookAnswer) } },
    errors: ['access_denied'],

    async handle({ auth, query }) {
      const accountId = accountOfRequest(auth, query.account_id);
      const { items, nextCursor } = await listPage(query, (page) => registry.list(accountId, page));
      return jsonResponse(200, { data: items.map(webhookBody), next_cursor: nextCursor });
    },
  });
}
