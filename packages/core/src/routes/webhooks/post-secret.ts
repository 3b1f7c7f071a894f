import { jsonResponse } from '../../http/json-response.ts';
import type { WebhookRegistry } from '../../webhooks/registry/webhook-registry.ts';
import { defineRoute } from '../define-route.ts';
import { requestingUser } from '../requesting-user.ts';
import type { Route } from '../route.ts';
import { webhookAuth } from './webhook-auth.ts';
import { webhookRef } from './webhook-ref.ts';
import { requireFound } from './webhook-rejections.ts';
import { answerOf, secretAnswer, type WebhookSchemas } from './webhook-schemas.ts';

/** `POST /webhooks/{id}/secret`: makes a new signing secret. For a day, the old one signs too. */
export function postSecret(
  registry: Pick<WebhookRegistry, 'rotateSecret'>,
  { accountQuery }: WebhookSchemas,
): Route {
  return defineRoute({
    method: 'POST',
    path: '/webhooks/{id}/secret',
    operationId: 'rotateWebhookSecret',
    summary: 'Make a new signing secret; the old one keeps signing for a day',
    auth: webhookAuth,
    query: accountQuery,
    answers: { 200: { description: 'The new secret.', schema: answerOf(secretAnswer) } },
    errors: ['access_denied'],

    async handle(input, request, assertCredentialValid) {
      const ref = webhookRef(input);
      const by = requestingUser(input.auth, request);
      // A new secret has an effect even if nobody gets it: ten new secrets evict the secret of the receiver.
      await assertCredentialValid();
      const secret = requireFound(await registry.rotateSecret(ref, by));
      return { response: jsonResponse(200, { id: ref.webhookId, data: { secret } }) };
    },
  });
}
