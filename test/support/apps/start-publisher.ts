import { randomBytes } from 'node:crypto';
import { type Auth, createAuth, toFetchHandler, type WebhookOptions } from '@latchhook/core';
import type { DeliveryStore, Storage } from '@latchhook/core/storage';
import { redisStorage } from '@latchhook/redis';
import { Redis } from 'ioredis';
import { onTestFinished } from 'vitest';

export interface RegisteredWebhook {
  readonly accountId: number;
  readonly webhookId: string;
  readonly secret: string;
}

/** An app that registers webhooks and publishes. By default other processes send. */
export interface Publisher {
  readonly auth: Auth;
  readonly deliveries: DeliveryStore;
  readonly encryptionKey: Uint8Array;
  /** Registers a webhook for `Contact.Added` by POST /webhooks. */
  register(
    accountId: number,
    fields: Readonly<Record<string, unknown>>,
  ): Promise<RegisteredWebhook>;
  /** PATCH /webhooks/{id}. */
  change(webhook: RegisteredWebhook, fields: Readonly<Record<string, unknown>>): Promise<void>;
  /** Resolves to the id once the message is durable. */
  publish(accountId: number, nth: number): Promise<string>;
}

/** The fields of a response that are read. */
interface Answer {
  readonly access_token: string;
  readonly id: string;
  readonly data: { readonly secret: string };
}

const ISSUER = 'https://issuer.example';
/** The accounts of the publisher's user: more than any test needs. */
const ACCOUNTS = Array.from({ length: 100 }, (_, index) => index + 1);

/** Starts a publisher on a Redis, until the end of the test. */
export async function startPublisher(redisUrl: string): Promise<Publisher> {
  const redis = connect(redisUrl);
  onTestFinished(() => redis.disconnect());
  return startPublisherOn(redisStorage(redis));
}

/** Starts a publisher on any storage, until the end of the test. */
export async function startPublisherOn(
  storage: Storage,
  webhooks: Partial<WebhookOptions> = {},
): Promise<Publisher> {
  const { deliveries } = storage;
  if (deliveries === undefined) throw new Error('the storage keeps no deliveries');
  const encryptionKey = randomBytes(32);
  const user = { id: 'user-1', passwordHash: null, accounts: ACCOUNTS };
  const auth = createAuth({
    issuer: ISSUER,
    users: { findByUsername: async () => user, findById: async () => user },
    passwords: { limitConcurrency: false, verifier: async () => true },
    throttle: false,
    storage,
    keys: { encryption: [encryptionKey] },
    webhooks: { worker: false, allowHttp: true, allowPrivateAddresses: true, ...webhooks },
  });
  onTestFinished(() => auth.close());

  const handle = toFetchHandler(auth);
  async function ask(method: string, path: string, body: unknown, token?: string) {
    const response = await handle(
      new Request(`${ISSUER}${path}`, {
        method,
        headers: {
          'content-type': 'application/json',
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify(body),
      }),
    );
    const answer = await response?.json();
    if (response?.ok !== true) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
    return answer as Answer;
  }
  const credentials = { username: 'ada@example.com', password: 'whatever' };
  const { access_token: token } = await ask('POST', '/token', credentials);

  return {
    auth,
    deliveries,
    encryptionKey,
    async register(accountId, fields) {
      const path = `/webhooks?account_id=${accountId}`;
      const webhook = { event: 'Contact.Added', ...fields };
      const { id, data } = await ask('POST', path, webhook, token);
      return { accountId, webhookId: id, secret: data.secret };
    },
    async change({ accountId, webhookId }, fields) {
      await ask('PATCH', `/webhooks/${webhookId}?account_id=${accountId}`, fields, token);
    },
    async publish(accountId, nth) {
      const { id } = await auth.events.publish('Contact.Added', { accountId, data: { nth } });
      return id;
    },
  };
}

function connect(redisUrl: string): Redis {
  const redis = new Redis(redisUrl, {
    retryStrategy: (attempt) => Math.min(50 * attempt, 500),
    maxRetriesPerRequest: 1,
  });
  redis.on('error', () => {});
  return redis;
}
