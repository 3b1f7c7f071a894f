import { randomBytes } from 'node:crypto';
import {
  type Auth,
  createAuth,
  type DeliveryEngine,
  type DeliveryStore,
  toFetchHandler,
} from '@latchhook/core';
import { inProcessDelivery } from '@latchhook/delivery';
import { type PostgresConnection, postgresStorage } from '@latchhook/postgres';
import { onTestFinished } from 'vitest';

/** An app of which one account has one webhook. */
export interface OutboxApp {
  readonly auth: Auth;
  readonly deliveries: DeliveryStore;
  readonly webhook: { readonly accountId: number; readonly webhookId: string };
  readonly encryptionKey: Uint8Array;
}

/** What is read of the answers. */
interface Answer {
  readonly access_token: string;
  readonly id: string;
}

export const ACCOUNT_ID = 1;
const ISSUER = 'https://issuer.example';

/** Sends, and looks for what is lost far more often than an app would. */
export const sending = (): DeliveryEngine =>
  inProcessDelivery({ sweep: { intervalMs: 50, graceMs: 100 } });

/** An app that leaves the sending to others, and nobody else is there. */
export const notSending: DeliveryEngine = {
  name: 'nobody',
  durable: true,
  connect: () => ({
    enqueue: async () => {},
    reschedule: async () => {},
    close: async () => {},
  }),
};

/** Starts it for the length of the test, with a webhook that is registered as a client does it. */
export async function startOutboxApp(
  connection: PostgresConnection,
  schema: string,
  { delivery, url }: { readonly delivery: DeliveryEngine; readonly url: string },
): Promise<OutboxApp> {
  const encryptionKey = randomBytes(32);
  const storage = postgresStorage(connection, { schema, deadlineMs: 5_000 });
  const { deliveries } = storage;
  if (deliveries === undefined) throw new Error('the storage keeps no deliveries');
  const user = { id: 'user-1', passwordHash: null, accounts: [ACCOUNT_ID] };
  const auth = createAuth({
    issuer: ISSUER,
    users: { findByUsername: async () => user, findById: async () => user },
    passwords: { gate: false, verifier: async () => true },
    throttle: false,
    storage,
    keys: { encryption: [encryptionKey] },
    webhooks: { delivery, allowHttp: true, allowPrivateAddresses: true },
  });
  onTestFinished(() => auth.close());

  const handle = toFetchHandler(auth);
  async function post(path: string, body: unknown, headers = {}) {
    const request = new Request(`${ISSUER}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    const response = await handle(request);
    if (response?.ok !== true) throw new Error(`POST ${path}: ${await response?.text()}`);
    return (await response.json()) as Answer;
  }
  const credentials = { username: 'ada@example.com', password: 'whatever' };
  const { access_token } = await post('/token', credentials);
  const { id } = await post(
    `/webhooks?account_id=${ACCOUNT_ID}`,
    { event: 'Contact.Added', url, rate_limit: 10_000 },
    { authorization: `Bearer ${access_token}` },
  );
  return { auth, deliveries, webhook: { accountId: ACCOUNT_ID, webhookId: id }, encryptionKey };
}
