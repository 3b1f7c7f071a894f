import type { AccountId, AccountIdKind } from '../account-id.ts';
import { type CallGuard, PendingCalls } from '../faults/call-guard.ts';
import type { EncryptedKind } from '../keys/key-control.ts';
import type { SecretRing } from '../keys/secret-ring.ts';
import { type Clock, monotonicMs } from '../ports/clock.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import { guardedDeliveries, guardedWebhooks } from '../storage/guarded-storage.ts';
import type { LimiterFactory } from '../storage/limiter.ts';
import type { WebhookStores } from '../storage/storage.ts';
import type { WebhookRef } from '../storage/webhook-store.ts';
import type { AnyUserStore } from '../users/users.ts';
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
import type { EventType, EventTypes } from './events/event-types.ts';
import { createEvents } from './publishing/create-events.ts';
import type { Events } from './publishing/events.ts';
import { createPublishSecurityEvents } from './publishing/publish-security-events.ts';
import { createPublisher } from './publishing/publisher.ts';
import { createWebhookRegistry, type WebhookRegistry } from './registry/webhook-registry.ts';
import { createWebhookSecretCipher } from './secrets/webhook-secret-cipher.ts';

/** The parts of webhooks. */
export interface WebhookParts {
  /** For the routes: the webhooks of a user's accounts. */
  readonly registry: WebhookRegistry;
  /** For the routes: the log, pings, and resends. */
  readonly deliveries: WebhookDeliveries;
  /** For the routes: the events for which webhooks can be registered, by name. */
  readonly eventTypes: ReadonlyMap<string, EventType>;
  readonly accountIdKind: AccountIdKind;
  /** For the host: the management of webhooks. */
  readonly control: Webhooks<EventTypes, AccountId>;
  /** For the host: publishing. */
  readonly events: Events<EventTypes, AccountId>;
  /** Publishes the security events that are among the events of the app; `undefined`: the app has no such events. */
  readonly publishSecurityEvent: ((event: SecurityEvent) => void) | undefined;
  /** For the host: re-encrypting. */
  readonly secrets: EncryptedKind<WebhookRef>;
  /** For the host, before its process is suspended. */
  drain(options: { readonly deadlineMs: number }): Promise<DrainOutcome>;
  /** For the host, when it shuts down. */
  close(): Promise<void>;
}

export interface WebhookPartsDeps {
  readonly stores: WebhookStores;
  /** Guards the store calls that a request waits for. */
  readonly callStorage: CallGuard;
  readonly limiters: LimiterFactory;
  readonly users: Pick<AnyUserStore, 'findById'>;
  /** Counts all pending work of the app, for its `close`. */
  readonly pending: PendingCalls;
  /** Encrypts the signing secrets for the store. */
  readonly encryption: SecretRing;
  readonly startWorker: StartDeliveryWorker | false;
  /** By name. */
  readonly eventTypes: ReadonlyMap<string, EventType>;
  readonly accountIdKind: AccountIdKind;
  readonly policy: DeliveryPolicy;
  readonly clock: Clock;
  readonly emit: (event: SecurityEvent) => void;
}

/** Wires up the parts of webhooks, and starts the worker. */
export function createWebhookParts(deps: WebhookPartsDeps): WebhookParts {
  const { stores, callStorage, startWorker, eventTypes, accountIdKind, policy, clock, emit } = deps;
  const cipher = createWebhookSecretCipher(deps.encryption);
  const webhooks = guardedWebhooks(stores.webhooks, callStorage);
  const deliveries = guardedDeliveries(stores.deliveries, callStorage);
  const worker = startWorker
    ? startWorker(deliveryContext({ deliveries: stores.deliveries, cipher, policy, clock, emit }))
    : noDeliveryWorker;
  const { publishEvent, sendPing } = createPublisher({ deliveries, policy, clock, emit });
  // Counts only security events: `drain` does not wait for the other work that `pending` counts.
  const publishing = new PendingCalls();
  const publishSecurityEvent = createPublishSecurityEvents({
    types: eventTypes,
    publishEvent,
    users: deps.users,
    pending: deps.pending,
    publishing,
    clock,
    emit,
  });

  const partsWithQuotas = (quotas: DeliveryQuotas) => ({
    registry: createWebhookRegistry({ webhooks, quotas, cipher, policy, emit }),
    deliveries: createWebhookDeliveries({ deliveries, sendPing, quotas }),
  });

  return {
    ...partsWithQuotas(createDeliveryQuotas(deps.limiters)),
    control: createWebhookControl({
      ...partsWithQuotas(noDeliveryQuotas),
      eventNames: [...eventTypes.keys()],
      accountIdKind,
    }),
    eventTypes,
    accountIdKind,
    events: createEvents({ publishEvent, types: eventTypes, accountIdKind }),
    publishSecurityEvent,
    secrets: { store: webhooks, cipher },
    async drain(options) {
      if (publishSecurityEvent === undefined) return worker.drain(options);
      const endsAtMs = monotonicMs(clock) + options.deadlineMs;
      if (!(await publishing.settled(options.deadlineMs))) return { outcome: 'deadline' };
      return worker.drain({ deadlineMs: Math.max(0, endsAtMs - monotonicMs(clock)) });
    },
    close: () => worker.close(),
  };
}
