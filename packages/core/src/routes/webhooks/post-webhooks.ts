import { jsonResponse } from '../../http/json-response.ts';
import type { WebhookRegistry } from '../../webhooks/registry/webhook-registry.ts';
import { accountOfRequest } from '../account-of-request.ts';
import { defineRoute } from '../define-route.ts';
import { jsonBody } from '../json-body.ts';
import { requestingUser } from '../requesting-user.ts';
import type { Route } from '../route.ts';
import type { RouteUrl } from '../route-url.ts';
import { webhookAuth } from './webhook-auth.ts';
import type { WebhookBody } from './webhook-bodies.ts';
import { webhookLocation } from './webhook-location.ts';
import { rejectionOf } from './webhook-rejections.ts';
import { answerOf, newWebhookFields, type WebhookSchemas } from './webhook-schemas.ts';

export interface PostWebhooksDeps {
  readonly eventNames: readonly string[];
  readonly webhookBody: WebhookBody;
  readonly routeUrl: RouteUrl;
  readonly schemas: WebhookSchemas;
}

/** `POST /webhooks`: apart from a rotation, the only response that contains the signing secret. */
export function postWebhooks(
  registry: Pick<WebhookRegistry, 'create' | 'remove'>,
  { eventNames, webhookBody, routeUrl, schemas }: PostWebhooksDeps,
): Route {
  const { accountQuery, newWebhookAnswer } = schemas;
  return defineRoute({
    method: 'POST',
    path: '/webhooks',
    operationId: 'createWebhook',
    summary: 'Register a webhook',
    auth: webhookAuth,
    query: accountQuery,
    body: jsonBody(newWebhookFields(eventNames)),
    answers: {
      201: {
        description: 'The new webhook, with its signing secret.',
        schema: answerOf(newWebhookAnswer),
        headers: { Location: 'The path of the webhook, for `GET`.' },
      },
    },
    errors: ['access_denied', 'limit_reached'],

    async handle({ auth, query, body }, request) {
      const accountId = accountOfRequest(auth, query.account_id);
      const { event, url, rate_limit: rateLimit, rate_limit_period: rateLimitPeriod } = body;
      const by = requestingUser(auth, request);
      const created = await registry.create(
        accountId,
        { event, url, rateLimit, rateLimitPeriod },
        by,
      );
      if (created.outcome !== 'created') throw rejectionOf(created);
      const { webhookId: id } = created.webhook;
      const data = { ...webhookBody(created.webhook), secret: created.secret };
      const location = webhookLocation(routeUrl(request, `/webhooks/${id}`), query);
      return {
        response: jsonResponse(201, { id, data }, { location }),
        undo: () => registry.remove({ accountId, webhookId: id }, by),
      };
    },
  });
}
