import { jsonResponse } from '../../http/json-response.ts';
import { listPage, pageAnswer } from '../../schema/list-page.ts';
import type { WebhookDeliveries } from '../../webhooks/deliveries/webhook-deliveries.ts';
import { defineRoute } from '../define-route.ts';
import type { Route } from '../route.ts';
import { webhookAuth } from './webhook-auth.ts';
import { deliveryBody } from './webhook-bodies.ts';
import { webhookRef } from './webhook-ref.ts';
import { requireFound } from './webhook-rejections.ts';
import { deliveryAnswer, type WebhookSchemas } from './webhook-schemas.ts';

/** `GET /webhooks/{id}/deliveries`: past and pending deliveries, newest first. */
export function getDeliveries(
  deliveries: Pick<WebhookDeliveries, 'list'>,
  { accountPageQuery }: WebhookSchemas,
): Route {
  return defineRoute({
    method: 'GET',
    path: '/webhooks/{id}/deliveries',
    operationId: 'listDeliveries',
    summary: 'The deliveries of a webhook and their attempts, newest first',
    auth: webhookAuth,
    query: accountPageQuery,
    answers: { 200: { description: 'A page of the list.', schema: pageAnswer(deliveryAnswer) } },
    errors: ['access_denied'],

    async handle(input) {
      const ref = webhookRef(input);
      const page = await listPage(input.query, (page) => deliveries.list(ref, page));
      const { items, nextCursor } = requireFound(page);
      return jsonResponse(200, { data: items.map(deliveryBody), next_cursor: nextCursor });
    },
  });
}
