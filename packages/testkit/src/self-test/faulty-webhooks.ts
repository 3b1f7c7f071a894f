import { memoryStorage } from '@latchhook/core';
import {
  type DeliveryStore,
  mapMethods,
  STORE_METHODS,
  type WebhookStore,
} from '@latchhook/core/storage';
import type { WebhookStores } from '../fixtures/webhook-connection.ts';
import { storesOf, type WebhookHarness } from '../fixtures/webhook-fixture.ts';
import type { TurnableClock } from '../time/turnable-clock.ts';
import { ABILITIES, IN_PROCESS } from './in-process.ts';
import { makeHarnesses } from './make-harnesses.ts';
import type { Transition } from './read-then-write.ts';
import { runCallsBy } from './run-calls-by.ts';

/** The reference as objects whose methods a spread copies. */
export interface ReferenceStores extends WebhookStores {
  readonly clock: TurnableClock;
}

/** The reference with some faulty methods of `webhooks`. */
export function faultyWebhooks(
  change: (reference: ReferenceStores) => Partial<WebhookStore>,
): WebhookHarness {
  return faultyStores((reference) => ({
    deliveries: reference.deliveries,
    webhooks: { ...reference.webhooks, ...change(reference) },
  }));
}

/** The reference with some faulty methods of `deliveries`. */
export function faultyDeliveries(
  change: (reference: ReferenceStores) => Partial<DeliveryStore>,
): WebhookHarness {
  return faultyStores((reference) => ({
    webhooks: reference.webhooks,
    deliveries: { ...reference.deliveries, ...change(reference) },
  }));
}

/** Stores derived from the reference. */
export function faultyStores(
  change: (reference: ReferenceStores) => WebhookStores,
): WebhookHarness {
  return {
    abilities: ABILITIES,
    open: async ({ clock }) => {
      const stores = change(referenceStores(clock));
      return { connect: async () => stores, ...IN_PROCESS };
    },
  };
}

export function referenceStores(clock: TurnableClock): ReferenceStores {
  const { webhooks, deliveries } = memoryStorage({ clock });
  return {
    clock,
    webhooks: mapMethods(webhooks, STORE_METHODS.webhooks, (call) => call()),
    deliveries: {
      ...mapMethods(deliveries, STORE_METHODS.deliveries, (call) => call()),
      subscribe: (onDue) => deliveries.subscribe?.(onDue) ?? (async () => {}),
    },
  };
}

/** Stores whose calls are not atomic, or whose connections share no data. */
export const { readThenWrite: readThenWriteWebhooks, unshared: unsharedWebhooks } = makeHarnesses(
  makeStores,
  (stores) => stores,
);

function makeStores(transition: Transition): WebhookStores {
  return {
    webhooks: runCallsBy(
      transition,
      STORE_METHODS.webhooks,
      (storage) => storesOf(storage).webhooks,
    ),
    deliveries: runCallsBy(
      transition,
      STORE_METHODS.deliveries,
      (storage) => storesOf(storage).deliveries,
    ),
  };
}
