import type { DeliveryWorker, SecurityEvent } from '@latchhook/core';
import {
  type DeliveryStore,
  mapMethods,
  STORE_METHODS,
  type Storage,
} from '@latchhook/core/storage';
import { createDeliveryWorker, inProcessWorker, type SendingOptions } from '@latchhook/delivery';
import { onTestFinished } from 'vitest';
import type { Publisher } from '../support/apps/start-publisher.ts';

/** A worker in the process of the test. */
export interface StartedWorker extends DeliveryWorker {
  /** Every security event so far. */
  readonly events: readonly SecurityEvent[];
}

/** Starts a worker for the length of the test. */
export function startWorker(
  storage: Storage,
  { encryptionKey }: Pick<Publisher, 'encryptionKey'>,
  sending: SendingOptions = {},
): StartedWorker {
  const events: SecurityEvent[] = [];
  const worker = createDeliveryWorker({
    storage,
    keys: { encryption: [encryptionKey] },
    webhooks: { worker: inProcessWorker(sending), allowHttp: true, allowPrivateAddresses: true },
    onSecurityEvent: (event) => void events.push(event),
  });
  onTestFinished(() => worker.close());
  return { ...worker, events };
}

/** The same storage, with some methods of its deliveries replaced. */
export function replacing(
  storage: Storage,
  replace: (deliveries: DeliveryStore) => Partial<DeliveryStore>,
): Storage {
  const { deliveries } = storage;
  if (deliveries === undefined) throw new Error('the storage keeps no deliveries');
  return {
    ...storage,
    deliveries: {
      ...mapMethods(deliveries, STORE_METHODS.deliveries, (call) => call()),
      ...(deliveries.subscribe && { subscribe: deliveries.subscribe.bind(deliveries) }),
      ...replace(deliveries),
    },
  };
}

/** Publishes `count` events in parallel to one account; resolves to their ids. */
export function publishMany(
  publisher: Pick<Publisher, 'publish'>,
  accountId: number,
  count: number,
): Promise<readonly string[]> {
  return Promise.all(Array.from({ length: count }, (_, i) => publisher.publish(accountId, i)));
}
