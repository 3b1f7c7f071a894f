import { jsonResponse } from '../../http/json-response.ts';
import type { WebhookDeliveries } from '../../webhooks/deliveries/webhook-deliveries.ts';
import { defineRoute } from '../define-route.ts';
import type { Route } from '../route.ts';
import { webhookAuth } from './webhook-auth.ts';
import { webhookRef } from './webhook-ref.ts';
import { assertFound } from './webhook-rejections.ts';
import { answerOf, sentAnswer, type WebhookSchemas } from './webhook-schemas.ts';

/** `POST /webhooks/{id}/deliveries/{delivery}/resend`: the same id and the same bytes, once more. */
export function postResend(
  deliveries: Pick<WebhookDeliveries, 'resend'>,
  { accountQuery }: WebhookSchemas,
): Route {
  return defineRoute({
    method: 'POST',
    path: '/webhooks/{id}/deliveries/{delivery}/resend',
    operationId: 'resendDelivery',
    summary: 'Send a delivery again',
    auth: webhookAuth,
    query: accountQuery,
    answers: { 202: { description: 'The delivery is queued.', schema: answerOf(sentAnswer) } },
    errors: ['access_denied', 'too_many_requests'],

    async handle(input) {
      const ref = webhookRef(input);
      const { delivery } = input.params;
      assertFound(await deliveries.resend({ ...ref, deliveryId: delivery }));
      return jsonResponse(202, { id: ref.webhookId, data: { delivery } });
    },
  });
}
