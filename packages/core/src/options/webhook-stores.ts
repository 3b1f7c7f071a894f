import { ConfigError } from '../errors.ts';
import type { DeliveryStore } from '../storage/delivery-store.ts';
import type { Storage } from '../storage/storage.ts';
import type { WebhookStore } from '../storage/webhook-store.ts';
import { missingMethods } from './missing-methods.ts';

/** Typed so that a method of the contract that is not asked for here does not compile. */
const WEBHOOK_METHODS: Readonly<Record<keyof WebhookStore, true>> = {
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

const DELIVERY_METHODS: Readonly<Record<Exclude<keyof DeliveryStore, 'outbox'>, true>> = {
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
};

/** What a storage has to have where there are webhooks. */
export type WebhookStores = Required<Pick<Storage, 'webhooks' | 'deliveries'>>;

/** @throws {ConfigError} `storage_invalid` */
export function webhookStores(storage: Storage): WebhookStores {
  return {
    webhooks: wholeStore('webhooks', storage.webhooks, WEBHOOK_METHODS),
    deliveries: deliveryStore(storage),
  };
}

/**
 * What sending alone needs.
 *
 * @throws {ConfigError} `storage_invalid`
 */
export function deliveryStore(storage: Pick<Storage, 'deliveries'>): DeliveryStore {
  const { deliveries } = Object(storage) as typeof storage;
  return wholeStore('deliveries', deliveries, DELIVERY_METHODS);
}

function wholeStore<Store>(
  part: string,
  store: Store | undefined,
  methods: Readonly<Record<string, true>>,
): Store {
  const missing = missingMethods(part, store, Object.keys(methods));
  if (store !== undefined && missing.length === 0) return store;
  throw new ConfigError(
    'storage_invalid',
    `storage must keep webhooks too, as postgresStorage(pool) and redisStorage(client) do: it lacks ${missing.join(', ')}`,
  );
}
