import { ConfigError } from '../errors.ts';
import { missingMethods } from '../missing-methods.ts';
import type { DeliveryStore } from '../storage/delivery-store.ts';
import type { Storage, WebhookStores } from '../storage/storage.ts';
import { STORE_METHODS } from '../storage/store-methods.ts';
import { uncheckedFields } from '../unchecked-fields.ts';
import { requireStore } from './require-store.ts';

const CONTENT = { mustKeep: 'webhooks too' };

/** @throws {ConfigError} `storage_invalid` */
export function requireWebhookStores(storage: Storage): WebhookStores {
  return {
    webhooks: requireStore('webhooks', storage.webhooks, CONTENT),
    deliveries: requireDeliveryStore(storage),
  };
}

/**
 * Returns the store that sending needs.
 *
 * @throws {ConfigError} `storage_invalid`
 */
export function requireDeliveryStore(storage: Pick<Storage, 'deliveries'>): DeliveryStore {
  const { deliveries } = uncheckedFields<typeof storage>(storage);
  const store = requireStore('deliveries', deliveries, CONTENT);
  assertWholeOutbox(store);
  return store;
}

/** The host's own outbox may lack methods, which only a publish within a transaction would notice. */
function assertWholeOutbox({ outbox }: DeliveryStore): void {
  if (outbox === undefined) return;
  const missing = missingMethods('deliveries.outbox', outbox, Object.keys(STORE_METHODS.outbox));
  if (missing.length === 0) return;
  throw new ConfigError(
    'storage_invalid',
    `storage keeps an outbox that lacks ${missing.join(', ')}`,
  );
}
