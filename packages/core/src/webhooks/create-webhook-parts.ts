import type { CallBoundary } from '../faults/call-boundary.ts';
import type { SealedKind } from '../keys/key-control.ts';
import type { SecretRing } from '../keys/secret-ring.ts';
import type { Clock } from '../ports/clock.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import { boundedDeliveries, boundedWebhooks } from '../storage/bounded-storage.ts';
import type { LimiterFactory } from '../storage/limiter.ts';
import type { WebhookStores } from '../storage/storage.ts';
import type { WebhookRef } from '../storage/webhook-store.ts';
import { createBacklog } from './backlog/backlog.ts';
import { createWebhookControl } from './control/create-webhook-control.ts';
import type { Webhooks } from './control/webhook-control.ts';
import { deliveryContext } from './deliveries/delivery-context.ts';
import type { DeliveryEngine } from './deliveries/delivery-engine.ts';
import type { DeliveryPolicy } from './deliveries/delivery-policy.ts';
import {
  createDeliveryQuotas,
  type DeliveryQuotas,
  noDeliveryQuotas,
} from './deliveries/delivery-quotas.ts';
import { createHandOver } from './deliveries/hand-over.ts';
import {
  createWebhookDeliveries,
  type WebhookDeliveries,
} from './deliveries/webhook-deliveries.ts';
import { createEvents } from './publishing/create-events.ts';
import type { Events } from './publishing/events.ts';
import { createPublisher } from './publishing/publisher.ts';
import type { StandardSchema } from './publishing/standard-schema.ts';
import { createWebhookRegistry, type WebhookRegistry } from './registry/webhook-registry.ts';
import { createSecretBox } from './secrets/secret-box.ts';

/** The parts of webhooks. */
export interface WebhookParts {
  /** For the routes: what users do with the webhooks of their accounts. */
  readonly registry: WebhookRegistry;
  /** For the routes: the log, pings, and sending again. */
  readonly deliveries: WebhookDeliveries;
  /** For the host, which registers and manages them too. */
  readonly control: Webhooks;
  /** For the host, which publishes. */
  readonly events: Events;
  /** For the host, which reseals. */
  readonly secrets: SealedKind<WebhookRef>;
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
  readonly engine: DeliveryEngine;
  /** For calls of the engine. */
  readonly callEngine: CallBoundary;
  /** By name of the event. */
  readonly schemas: ReadonlyMap<string, StandardSchema>;
  readonly policy: DeliveryPolicy;
  readonly clock: Clock;
  readonly emit: (event: SecurityEvent) => void;
}

/** Wires up the parts of webhooks, and connects the engine. */
export function createWebhookParts(deps: WebhookPartsDeps): WebhookParts {
  const { stores, callStorage, engine, callEngine, schemas, policy, clock, emit } = deps;
  const box = createSecretBox(deps.encryption);
  const webhooks = boundedWebhooks(stores.webhooks, callStorage);
  const deliveries = boundedDeliveries(stores.deliveries, callStorage);
  const queue = engine.connect(
    deliveryContext({ deliveries: stores.deliveries, box, policy, clock, emit }),
  );
  const handOver = createHandOver(queue, callEngine, emit);
  const backlog = createBacklog({
    deliveries,
    queue,
    callEngine,
    handOver,
    policy,
    clock,
    emit,
  });
  const { publishEvent, sendPing } = createPublisher({
    deliveries,
    handOver,
    backlog,
    policy,
    clock,
    emit,
  });

  const boundedBy = (quotas: DeliveryQuotas) => ({
    registry: createWebhookRegistry({ webhooks, backlog, quotas, box, policy, emit }),
    deliveries: createWebhookDeliveries({ deliveries, sendPing, quotas, handOver }),
  });

  return {
    ...boundedBy(createDeliveryQuotas(deps.limiters)),
    control: createWebhookControl(boundedBy(noDeliveryQuotas)),
    events: createEvents({ publishEvent, schemas }),
    secrets: { store: webhooks, box },
    async close() {
      await backlog.close();
      await queue.close();
    },
  };
}
