import type { Auth } from '@latchhook/core';
import type { DeliveryEngine } from '@latchhook/core/delivery';
import type { DeliveryStore } from '@latchhook/core/storage';
import { inProcessDelivery } from '@latchhook/delivery';
import { type PostgresConnection, postgresStorage } from '@latchhook/postgres';
import { PATIENT_MS } from '../support/patience.ts';
import { type RegisteredWebhook, startPublisherOn } from '../support/start-publisher.ts';

/** An app in which one account has one webhook. */
export interface OutboxApp {
  readonly auth: Auth;
  readonly deliveries: DeliveryStore;
  readonly webhook: RegisteredWebhook;
  readonly encryptionKey: Uint8Array;
}

export const ACCOUNT_ID = 1;

/** An engine that sends, and sweeps far more often than in an app. */
export const sending = (): DeliveryEngine =>
  inProcessDelivery({ sweep: { intervalMs: 50, graceMs: 100 } });

/** An engine that leaves the sending to others, of which there are none. */
export const notSending: DeliveryEngine = {
  name: 'nobody',
  durable: true,
  connect: () => ({
    enqueue: async () => {},
    reschedule: async () => {},
    close: async () => {},
  }),
};

/** Starts the app for the length of the test. It registers its webhook as a client does. */
export async function startOutboxApp(
  connection: PostgresConnection,
  schema: string,
  { delivery, url }: { readonly delivery: DeliveryEngine; readonly url: string },
): Promise<OutboxApp> {
  const storage = postgresStorage(connection, { schema, deadlineMs: PATIENT_MS });
  const { auth, deliveries, encryptionKey, register } = await startPublisherOn(storage, delivery);
  const webhook = await register(ACCOUNT_ID, { url, rate_limit: 10_000 });
  return { auth, deliveries, webhook, encryptionKey };
}
