import { jsonResponse } from '../../http/json-response.ts';
import type { WebhookRegistry } from '../../webhooks/registry/webhook-registry.ts';
import { defineRoute } from '../define-route.ts';
import { requestingUser } from '../requesting-user.ts';
import type { Route } from '../route.ts';
import { webhookAuth } from './webhook-auth.ts';
import type { WebhookBody } from './webhook-bodies.ts';
import { webhookRef } from './webhook-ref.ts';
import { requireFound } from './webhook-rejections.ts';
import { answerOf, type WebhookSchemas } from './webhook-schemas.ts';

/** `POST /webhooks/{id}/enable`: enables it again; its held deliveries are sent. */
export function postEnable(
  registry: Pick<WebhookRegistry, 'enable'>,
  webhookBody: WebhookBody,
  { accountQuery, webhookAnswer }: WebhookSchemas,
): Route {
  return defineRoute({
    method: 'POST',
    path: '/webhooks/{id}/enable',
    operationId: 'enableWebhook',
    summary: 'Enable a disabled webhook, and send its held deliveries',
    auth: webhookAuth,
    query: accountQuery,
    answers: { 200: { description: 'The webhook is enabled.', schema: answerOf(webhookAnswer) } },
    errors: ['access_denied', 'too_many_requests'],

    async handle(input, request, assertCredentialValid) {
      const by = requestingUser(input.auth, request);
      // The held deliveries are sent immediately, which cannot be undone.
      await assertCredentialValid();
      const webhook = requireFound(await registry.enable(webhookRef(input), by));
      return jsonResponse(200, { id: webhook.webhookId, data: webhookBody(webhook) });
    },
  });
}
