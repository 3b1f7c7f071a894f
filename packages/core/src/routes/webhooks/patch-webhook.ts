import { jsonResponse } from '../../http/json-response.ts';
import type { WebhookSettings } from '../../storage/webhook-store.ts';
import type { WebhookRegistry } from '../../webhooks/registry/webhook-registry.ts';
import { webhookChange } from '../../webhooks/registry/webhook-settings.ts';
import { defineRoute } from '../define-route.ts';
import { jsonBody } from '../json-body.ts';
import { requestingUser } from '../requesting-user.ts';
import type { Route } from '../route.ts';
import { webhookAuth } from './webhook-auth.ts';
import { webhookRef } from './webhook-ref.ts';
import { rejectionOf } from './webhook-rejections.ts';
import {
  answerOf,
  patchedAnswer,
  type WebhookSchemas,
  webhookChangeFields,
} from './webhook-schemas.ts';

/** `PATCH /webhooks/{id}`: settings that the body leaves out are not changed. */
export function patchWebhook(
  registry: Pick<WebhookRegistry, 'change'>,
  { accountQuery }: WebhookSchemas,
): Route {
  return defineRoute({
    method: 'PATCH',
    path: '/webhooks/{id}',
    operationId: 'updateWebhook',
    summary: 'Change a webhook',
    auth: webhookAuth,
    query: accountQuery,
    body: jsonBody(webhookChangeFields),
    answers: { 200: { description: 'The webhook is changed.', schema: answerOf(patchedAnswer) } },
    errors: ['access_denied'],

    async handle(input, request, assertCredentialValid) {
      const ref = webhookRef(input);
      const { url, rate_limit: rateLimit, rate_limit_period: rateLimitPeriod } = input.body;
      const settings = { url, rateLimit, rateLimitPeriod } satisfies Record<
        keyof WebhookSettings,
        unknown
      >;
      const change = webhookChange(settings);
      const by = requestingUser(input.auth, request);
      // Checked before the change, which cannot be undone: an undo could overwrite a later change.
      await assertCredentialValid();
      const changed = await registry.change(ref, change, by);
      if (changed.outcome !== 'changed') throw rejectionOf(changed);
      const data = { object: 'Webhook', patched: true };
      return jsonResponse(200, { id: ref.webhookId, data });
    },
  });
}
