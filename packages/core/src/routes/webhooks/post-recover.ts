import { jsonResponse } from '../../http/json-response.ts';
import type { WebhookDeliveries } from '../../webhooks/deliveries/webhook-deliveries.ts';
import { defineRoute } from '../define-route.ts';
import { jsonBody } from '../json-body.ts';
import type { Route } from '../route.ts';
import { webhookAuth } from './webhook-auth.ts';
import { webhookRef } from './webhook-ref.ts';
import { requireFound } from './webhook-rejections.ts';
import { recoverAnswer, recoverFields, type WebhookSchemas } from './webhook-schemas.ts';

/** `POST /webhooks/{id}/recover`: sends dead deliveries again, for example after an outage of the receiver. */
export function postRecover(
  deliveries: Pick<WebhookDeliveries, 'recover'>,
  { accountQuery }: WebhookSchemas,
): Route {
  return defineRoute({
    method: 'POST',
    path: '/webhooks/{id}/recover',
    operationId: 'recoverDeliveries',
    summary: 'Send all dead deliveries since a time again',
    auth: webhookAuth,
    query: accountQuery,
    body: jsonBody(recoverFields),
    answers: {
      202: {
        description: 'The number of deliveries that are queued again.',
        schema: recoverAnswer,
      },
    },
    errors: ['access_denied', 'too_many_requests'],

    async handle(input) {
      const count = requireFound(await deliveries.recover(webhookRef(input), input.body.since));
      return jsonResponse(202, { data: { count } });
    },
  });
}
