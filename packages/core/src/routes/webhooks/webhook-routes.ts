import type { WebhookDeliveries } from '../../webhooks/deliveries/webhook-deliveries.ts';
import type { WebhookRegistry } from '../../webhooks/registry/webhook-registry.ts';
import type { Route } from '../route.ts';
import type { RouteUrl } from '../route-url.ts';
import { deleteWebhook } from './delete-webhook.ts';
import { getDeliveries } from './get-deliveries.ts';
import { getWebhook } from './get-webhook.ts';
import { getWebhooks } from './get-webhooks.ts';
import { patchWebhook } from './patch-webhook.ts';
import { postEnable } from './post-enable.ts';
import { postPing } from './post-ping.ts';
import { postRecover } from './post-recover.ts';
import { postResend } from './post-resend.ts';
import { postSecret } from './post-secret.ts';
import { postWebhooks } from './post-webhooks.ts';

export interface WebhookRoutesDeps {
  readonly registry: WebhookRegistry;
  readonly deliveries: WebhookDeliveries;
}

export function webhookRoutes(
  { registry, deliveries }: WebhookRoutesDeps,
  routeUrl: RouteUrl,
): readonly Route[] {
  return [
    postWebhooks(registry, routeUrl),
    getWebhooks(registry),
    getWebhook(registry),
    patchWebhook(registry),
    deleteWebhook(registry),
    postSecret(registry),
    postPing(deliveries),
    getDeliveries(deliveries),
    postResend(deliveries),
    postEnable(registry),
    postRecover(deliveries),
  ];
}
