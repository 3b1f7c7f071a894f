import { emptyResponse } from '../../http/json-response.ts';
import type { WebhookRegistry } from '../../webhooks/registry/webhook-registry.ts';
import { defineRoute } from '../define-route.ts';
import { requestingUser } from '../requesting-user.ts';
import type { Route } from '../route.ts';
import { webhookAuth } from './webhook-auth.ts';
import { webhookRef } from './webhook-ref.ts';
import { assertFound } from './webhook-rejections.ts';
import type { WebhookSchemas } from './webhook-schemas.ts';

/** `DELETE /webhooks/{id}`: removes it with all of its deliveries. */
export function deleteWebhook(
  registry: Pick<WebhookRegistry, 'remove'>,
  { accountQuery }: WebhookSchemas,
): Route {
  return defineRoute({
    method: 'DELETE',
    path: '/webhooks/{id}',
    operationId: 'deleteWebhook',
    summary: 'Remove a webhook and its deliveries',
    auth: webhookAuth,
    query: accountQuery,
    answers: { 204: { description: 'The webhook is removed.' } },
    errors: ['access_denied'],

    async handle(input, request, assertCredentialValid) {
      const by = requestingUser(input.auth, request);
      // Checked before the change, which cannot be undone.
      await assertCredentialValid();
      assertFound(await registry.remove(webhookRef(input), by));
      return emptyResponse();
    },
  });
}
