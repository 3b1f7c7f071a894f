import { jsonResponse } from '../../http/json-response.ts';
import type { WebhookRegistry } from '../../webhooks/registry/webhook-registry.ts';
import { defineRoute } from '../define-route.ts';
import type { Route } from '../route.ts';
import { webhookAuth } from './webhook-auth.ts';
import type { WebhookBody } from './webhook-bodies.ts';
import { webhookRef } from './webhook-ref.ts';
import { requireFound } from './webhook-rejections.ts';
import { answerOf, type WebhookSchemas } from './webhook-schemas.ts';

/** `GET /webhooks/{id}`. */
export function getWebhook(
  registry: Pick<WebhookRegistry, 'find'>,
  webhookBody: WebhookBody,
  { accountQuery, webhookAnswer }: WebhookSchemas,
): Route {
  return defineRoute({
    method: 'GET',
    path: '/webhooks/{id}',
    operationId: 'getWebhook',
    summary: 'One webhook',
    auth: webhookAuth,
    query: accountQuery,
    answers: { 200: { description: 'The webhook.', schema: answerOf(webhookAnswer) } },
    errors: ['access_denied'],

    async handle(input) {
      const webhook = requireFound(await registry.find(webhookRef(input)));
      return jsonResponse(200, { id: webhook.webhookId, data: webhookBody(webhook) });
    },
  });
}
