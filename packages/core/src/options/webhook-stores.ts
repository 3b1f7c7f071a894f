import type { DeliveryStore } from '../storage/delivery-store.ts';
import type { Storage, WebhookStores } from '../storage/storage.ts';
import { wholeStore } from './whole-store.ts';

const KEPT = 'webhooks too';

/** @throws {ConfigError} `storage_invalid` */
export function webhookStores(storage: Storage): WebhookStores {
  return {
    webhooks: wholeStore('webhooks', KEPT, storage.webhooks),
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
  return wholeStore('deliveries', KEPT, deliveries);
}
