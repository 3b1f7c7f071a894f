import { ConfigError } from '../errors.ts';
import { missingMethods } from '../missing-methods.ts';
import type { DeliveryStore } from '../storage/delivery-store.ts';
import type { Storage, WebhookStores } from '../storage/storage.ts';
import { STORE_METHODS } from '../storage/store-methods.ts';
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
  const store = wholeStore('deliveries', KEPT, deliveries);
  assertWholeOutbox(store);
  return store;
}

/** A storage of the host's own may lack methods that only a publish within a transaction needs. */
function assertWholeOutbox({ outbox }: DeliveryStore): void {
  if (outbox === undefined) return;
  const missing = missingMethods('deliveries.outbox', outbox, Object.keys(STORE_METHODS.outbox));
  if (missing.length === 0) return;
  throw new ConfigError(
    'storage_invalid',
    `storage keeps an outbox that lacks ${missing.join(', ')}`,
  );
}
