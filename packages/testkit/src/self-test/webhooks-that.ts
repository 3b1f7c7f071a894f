import type { Awaitable } from '@latchhook/core';
import type { DeliveryStore, Storage, WebhookStore } from '@latchhook/core/storage';
import type { TurnableClock } from '../turnable-clock.ts';
import type { WebhookHarness, WebhookStores } from '../webhook-trial.ts';
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
  const onWebhooks = <Answer>(call: (webhooks: WebhookStore) => Promise<Answer>) =>
    transition((storage) => call(present(storage).webhooks));
  const onDeliveries = <Answer>(call: (deliveries: DeliveryStore) => Awaitable<Answer>) =>
    transition(async (storage) => call(present(storage).deliveries));
  return {
    webhooks: {
      create: (webhook, limits) => onWebhooks((webhooks) => webhooks.create(webhook, limits)),
      find: (ref) => onWebhooks((webhooks) => webhooks.find(ref)),
      list: (accountId, page) => onWebhooks((webhooks) => webhooks.list(accountId, page)),
      change: (ref, change) => onWebhooks((webhooks) => webhooks.change(ref, change)),
      rotateSecret: (ref, secret) => onWebhooks((webhooks) => webhooks.rotateSecret(ref, secret)),
      enable: (ref) => onWebhooks((webhooks) => webhooks.enable(ref)),
      remove: (ref) => onWebhooks((webhooks) => webhooks.remove(ref)),
      listSealed: (page) => onWebhooks((webhooks) => webhooks.listSealed(page)),
      replaceSealed: (ref, change) => onWebhooks((webhooks) => webhooks.replaceSealed(ref, change)),
    },
    deliveries: {
      publish: (message) => onDeliveries((deliveries) => deliveries.publish(message)),
      start: (request) => onDeliveries((deliveries) => deliveries.start(request)),
      finish: (request) => onDeliveries((deliveries) => deliveries.finish(request)),
      resend: (ref) => onDeliveries((deliveries) => deliveries.resend(ref)),
      recover: (ref, request) => onDeliveries((deliveries) => deliveries.recover(ref, request)),
      release: (ref, request) => onDeliveries((deliveries) => deliveries.release(ref, request)),
      reschedule: (ref, page) => onDeliveries((deliveries) => deliveries.reschedule(ref, page)),
      overdue: (request) => onDeliveries((deliveries) => deliveries.overdue(request)),
      find: (ref) => onDeliveries((deliveries) => deliveries.find(ref)),
      list: (ref, page) => onDeliveries((deliveries) => deliveries.list(ref, page)),
      countPending: () => onDeliveries((deliveries) => deliveries.countPending()),
      lagMs: () => onDeliveries((deliveries) => deliveries.lagMs()),
    },
  };
}

function present({ webhooks, deliveries, name }: Storage): WebhookStores {
  if (webhooks === undefined || deliveries === undefined)
    throw new Error(`${name} has no webhooks`);
  return { webhooks, deliveries };
}
