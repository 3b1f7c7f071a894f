import { jsonResponse } from '../../http/json-response.ts';
import type { WebhookDeliveries } from '../../webhooks/deliveries/webhook-deliveries.ts';
import { defineRoute } from '../define-route.ts';
import type { Route } from '../route.ts';
import { webhookAuth } from './webhook-auth.ts';
import { webhookRef } from './webhook-ref.ts';
import { requireFound } from './webhook-rejections.ts';
import { answerOf, sentAnswer, type WebhookSchemas } from './webhook-schemas.ts';

/** `POST /webhooks/{id}/ping`: sends a delivery of type `Webhook.Ping`, to test the receiver. */
export function postPing(
  deliveries: Pick<WebhookDeliveries, 'ping'>,
  { accountQuery }: WebhookSchemas,
): Route {
  return defineRoute({
    method: 'POST',
    path: '/webhooks/{id}/ping',
    operationId: 'pingWebhook',
    summary: 'Send an event of type Webhook.Ping',
    auth: webhookAuth,
    query: accountQuery,
    answers: { 202: { description: 'The delivery is queued.', schema: answerOf(sentAnswer) } },
    errors: ['access_denied', 'too_many_requests'],

    async handle(input) {
      const ref = webhookRef(input);
      const delivery = requireFound(await deliveries.ping(ref));
      return jsonResponse(202, { id: ref.webhookId, data: { delivery } });
    },
  });
}
