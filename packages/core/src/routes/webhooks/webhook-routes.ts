import type { AccountIdKind } from '../../account-id.ts';
import type { WebhookDeliveries } from '../../webhooks/deliveries/webhook-deliveries.ts';
import type { EventType } from '../../webhooks/events/event-types.ts';
import type { WebhookRegistry } from '../../webhooks/registry/webhook-registry.ts';
import type { Route } from '../route.ts';
import type { RouteUrl } from '../route-url.ts';
import { deleteWebhook } from './delete-webhook.ts';
import { getDeliveries } from './get-deliveries.ts';
import { getEventTypes } from './get-event-types.ts';
import { getWebhook } from './get-webhook.ts';
import { getWebhooks } from './get-webhooks.ts';
import { patchWebhook } from './patch-webhook.ts';
import { postEnable } from './post-enable.ts';
import { postPing } from './post-ping.ts';
import { postRecover } from './post-recover.ts';
import { postResend } from './post-resend.ts';
import { postSecret } from './post-secret.ts';
import { postWebhooks } from './post-webhooks.ts';
import { webhookBodyFor } from './webhook-bodies.ts';
import { webhookSchemas } from './webhook-schemas.ts';

export interface WebhookRoutesDeps {
  readonly registry: WebhookRegistry;
  readonly deliveries: WebhookDeliveries;
  /** The events for which webhooks can be registered, by name. */
  readonly eventTypes: ReadonlyMap<string, EventType>;
  readonly accountIdKind: AccountIdKind;
}

export function webhookRoutes(
  { registry, deliveries, eventTypes, accountIdKind }: WebhookRoutesDeps,
  routeUrl: RouteUrl,
): readonly Route[] {
  const webhookBody = webhookBodyFor(eventTypes);
  const schemas = webhookSchemas[accountIdKind];
  return [
    postWebhooks(registry, { eventNames: [...eventTypes.keys()], webhookBody, routeUrl, schemas }),
    getWebhooks(registry, webhookBody, schemas),
    getEventTypes(eventTypes),
    getWebhook(registry, webhookBody, schemas),
    patchWebhook(registry, schemas),
    deleteWebhook(registry, schemas),
    postSecret(registry, schemas),
    postPing(deliveries, schemas),
    getDeliveries(deliveries, schemas),
    postResend(deliveries, schemas),
    postEnable(registry, webhookBody, schemas),
    postRecover(deliveries, schemas),
  ];
}
