import type { CallBoundary } from '../faults/call-boundary.ts';
import type { SealedKind } from '../keys/key-control.ts';
import type { SecretRing } from '../keys/secret-ring.ts';
import type { Clock } from '../ports/clock.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import { boundedDeliveries, boundedWebhooks } from '../storage/bounded-storage.ts';
import type { LimiterFactory } from '../storage/limiter.ts';
import type { WebhookStores } from '../storage/storage.ts';
import type { WebhookRef } from '../storage/webhook-store.ts';
import { createWebhookControl } from './control/create-webhook-control.ts';
import type { Webhooks } from './control/webhook-control.ts';
import { deliveryContext } from './deliveries/delivery-context.ts';
import type { DeliveryPolicy } from './deliveries/delivery-policy.ts';
import {
  createDeliveryQuotas,
  type DeliveryQuotas,
  noDeliveryQuotas,
} from './deliveries/delivery-quotas.ts';
import {
  type DrainOutcome,
  noDeliveryWorker,
  type StartDeliveryWorker,
} from './deliveries/delivery-worker.ts';
import {
  createWebhookDeliveries,
  type WebhookDeliveries,
} from './deliveries/webhook-deliveries.ts';
import type { EventType } from './events/event-types.ts';
import { createEvents } from './publishing/create-events.ts';
import type { Events } from './publishing/events.ts';
import { createPublisher } from './publishing/publisher.ts';
import { createWebhookRegistry, type WebhookRegistry } from './registry/webhook-registry.ts';
import { createSecretBox } from './secrets/secret-box.ts';

/** The parts of webhooks. */
export interface WebhookParts {
  /** For the routes: what users do with the webhooks of their accounts. */
  readonly registry: WebhookRegistry;
  /** For the routes: the log, pings, and sending again. */
  readonly deliveries: WebhookDeliveries;
  /** For the routes: what webhooks can be registered for, by name. */
  readonly eventTypes: ReadonlyMap<string, EventType>;
  /** For the host, which registers and manages them too. */
  readonly control: Webhooks;
  /** For the host, which publishes. */
  readonly events: Events;
  /** For the host, which reseals. */
  readonly secrets: SealedKind<WebhookRef>;
  /** For the host, before it stands still. */
  drain(options: { readonly deadlineMs: number }): Promise<DrainOutcome>;
  /** For the host, as it shuts down. */
  close(): Promise<void>;
}

export interface WebhookPartsDeps {
  readonly stores: WebhookStores;
  /** For calls of the stores that a request waits for. */
  readonly callStorage: CallBoundary;
  readonly limiters: LimiterFactory;
  /** Seals the signing secrets for the store. */
  readonly encryption: SecretRing;
  readonly worker: StartDeliveryWorker | false;
  /** By name. */
  readonly events: ReadonlyMap<string, EventType>;
  readonly policy: DeliveryPolicy;
  readonly clock: Clock;
  readonly emit: (event: SecurityEvent) => void;
}

/** Wires up the parts of webhooks, and starts the worker. */
export function createWebhookParts(deps: WebhookPartsDeps): WebhookParts {
  const { stores, callStorage, worker, events, policy, clock, emit } = deps;
  const box = createSecretBox(deps.encryption);
  const webhooks = boundedWebhooks(stores.webhooks, callStorage);
  const deliveries = boundedDeliveries(stores.deliveries, callStorage);
  const context = () =>
    deliveryContext({ deliveries: stores.deliveries, box, policy, clock, emit });
  const running = worker === false ? noDeliveryWorker : worker(context());
  const { publishEvent, sendPing } = createPublisher({ deliveries, policy, clock, emit });

  const boundedBy = (quotas: DeliveryQuotas) => ({
    registry: createWebhookRegistry({ webhooks, quotas, box, policy, emit }),
    deliveries: createWebhookDeliveries({ deliveries, sendPing, quotas }),
  });

  return {
    ...boundedBy(createDeliveryQuotas(deps.limiters)),
    control: createWebhookControl({
      ...boundedBy(noDeliveryQuotas),
      eventNames: [...events.keys()],
    }),
    eventTypes: events,
    events: createEvents({ publishEvent, types: events }),
    secrets: { store: webhooks, box },
    drain: (options) => running.drain(options),
    close: () => running.close(),
  };
}
