import {
  type DeliveryStore,
  STORE_METHODS,
  type Storage,
  type WebhookStore,
} from '@latchhook/core/storage';
import type { TurnableClock } from '../time/turnable-clock.ts';
import type { WebhookHarness, WebhookStores } from '../trials/webhook-trial.ts';
import { callsBy } from './calls-by.ts';
import { harnessesOf } from './harnesses-of.ts';
import type { Transition } from './read-then-write.ts';

interface Sound extends WebhookStores {
  readonly clock: TurnableClock;
}

/** The reference with some broken methods of its registry. */
export function webhooksThat(change: (sound: Sound) => Partial<WebhookStore>): WebhookHarness {
  return storesThat((sound) => ({
    deliveries: sound.deliveries,
    webhooks: { ...sound.webhooks, ...change(sound) },
  }));
}

/** The reference with some broken methods of its deliveries. */
export function deliveriesThat(change: (sound: Sound) => Partial<DeliveryStore>): WebhookHarness {
  return storesThat((sound) => ({
    webhooks: sound.webhooks,
    deliveries: { ...sound.deliveries, ...change(sound) },
  }));
}

/** Stores derived from the reference. */
export function storesThat(change: (sound: Sound) => WebhookStores): WebhookHarness {
  return {
    open: async ({ clock }) => {
      const stores = change({ ...soundStores(clock), clock });
      return { connect: async () => stores, close: async () => {} };
    },
  };
}

/** Stores of webhooks: the reference, and broken ones. */
export const {
  sound: soundStores,
  readThenWrite: readThenWriteWebhooks,
  ofEachConnection: webhooksOfEachConnection,
} = harnessesOf(storesBy, (stores) => stores);

/** Both stores; makes each call by `transition`. */
function storesBy(transition: Transition): WebhookStores {
  return {
    webhooks: callsBy(transition, STORE_METHODS.webhooks, (storage) => present(storage).webhooks),
    deliveries: callsBy(
      transition,
      STORE_METHODS.deliveries,
      (storage) => present(storage).deliveries,
    ),
  };
}

function present({ webhooks, deliveries, name }: Storage): WebhookStores {
  if (webhooks === undefined || deliveries === undefined)
    throw new Error(`${name} has no webhooks`);
  return { webhooks, deliveries };
}
