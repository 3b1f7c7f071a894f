import type { DeliveryStore } from '../storage/delivery-store.ts';
import type { Storage, WebhookStores } from '../storage/storage.ts';
import type { WebhookStore } from '../storage/webhook-store.ts';
import { type MethodsOf, wholeStore } from './whole-store.ts';

const KEPT = 'webhooks too';

const WEBHOOK_METHODS: MethodsOf<WebhookStore> = {
  create: true,
  find: true,
  list: true,
  change: true,
  rotateSecret: true,
  enable: true,
  remove: true,
  listSealed: true,
  replaceSealed: true,
};

const DELIVERY_METHODS: MethodsOf<Omit<DeliveryStore, 'outbox'>> = {
  publish: true,
  start: true,
  finish: true,
  resend: true,
  recover: true,
  release: true,
  reschedule: true,
  overdue: true,
  find: true,
  list: true,
  countPending: true,
  lagMs: true,
};

/** @throws {ConfigError} `storage_invalid` */
export function webhookStores(storage: Storage): WebhookStores {
  return {
    webhooks: wholeStore('webhooks', KEPT, storage.webhooks, WEBHOOK_METHODS),
    deliveries: deliveryStore(storage),
  };
}

/**
 * The store that sending needs.
 *
 * @throws {ConfigError} `storage_invalid`
 */
export function deliveryStore(storage: Pick<Storage, 'deliveries'>): DeliveryStore {
  const { deliveries } = Object(storage) as typeof storage;
  return wholeStore('deliveries', KEPT, deliveries, DELIVERY_METHODS);
}
