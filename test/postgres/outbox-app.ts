import type { Auth, PublishedEvent, SqlTransaction, StartDeliveryWorker } from '@latchhook/core';
import type { DeliveryStore } from '@latchhook/core/storage';
import { inProcessWorker } from '@latchhook/delivery';
import { type PostgresConnection, postgresStorage } from '@latchhook/postgres';
import type { Pool, PoolClient } from 'pg';
import { type RegisteredWebhook, startPublisherOn } from '../support/apps/start-publisher.ts';
import { startCountingReceiver } from '../support/deliveries/counting-receiver.ts';
import { PATIENT_MS } from '../support/time/patience.ts';
import { connect, openSchema } from './open-schema.ts';

/** An app in which one account has one webhook. */
export interface OutboxApp {
  readonly auth: Auth;
  readonly deliveries: DeliveryStore;
  readonly webhook: RegisteredWebhook;
  readonly encryptionKey: Uint8Array;
}

export const ACCOUNT_ID = 1;

/** A worker without notifications polls every second, ms. */
export const SOON_MS = 3_000;
/** How long nothing may arrive in tests that expect no delivery, ms. */
export const QUIET_MS = 500;

/** Starts the app until the end of the test, with a webhook registered over HTTP. */
export async function startOutboxApp(
  connection: PostgresConnection,
  schema: string,
  { worker, url }: { readonly worker: StartDeliveryWorker | false; readonly url: string },
): Promise<OutboxApp> {
  const storage = postgresStorage(connection, { schema, deadlineMs: PATIENT_MS });
  const { auth, deliveries, encryptionKey, register } = await startPublisherOn(storage, { worker });
  const webhook = await register(ACCOUNT_ID, { url, rate_limit: 10_000 });
  return { auth, deliveries, webhook, encryptionKey };
}

/**
 * The app with a receiver. The host's transactions and the worker use different pools, so neither can send over the
 * connections of the other.
 */
export async function openOutboxApp({
  worker = inProcessWorker(),
}: {
  readonly worker?: StartDeliveryWorker | false;
} = {}) {
  const receiver = await startCountingReceiver();
  const schema = await openSchema();
  const pool = connect();
  const app = await startOutboxApp(connect(), schema, { worker, url: receiver.url });
  return { receiver, schema, pool, app };
}

export function publish({ auth }: OutboxApp, tx: SqlTransaction, i = 0): Promise<PublishedEvent> {
  return auth.events.publish('Contact.Added', { accountId: ACCOUNT_ID, data: { i } }, { tx });
}

export async function inTransaction<Result>(
  pool: Pool,
  work: (tx: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}
