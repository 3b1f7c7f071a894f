import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { memoryStorage, type SecurityEvent } from '@latchhook/core';
import { systemTimers } from '@latchhook/core/delivery';
import type { DeliveryStore, ListedDelivery, WebhookSettings } from '@latchhook/core/storage';
import { onTestFinished } from 'vitest';
import { createSender } from '../send/create-sender.ts';
import { undici } from '../send/undici.ts';
import { DeliveryLoop, type DeliveryLoopDeps } from './delivery-loop.ts';
import { lazySender } from './lazy-sender.ts';

const REF = { accountId: 1, webhookId: 'wh_1' };
const DAY_MS = 86_400_000;

/** A request that a receiver got. */
export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly response: ServerResponse;
}

export function ok({ response }: Received): void {
  response.writeHead(204).end();
}

/** Starts a receiver on loopback. `answer` responds to each request. */
export async function startReceiver(answer: (received: Received, nth: number) => void) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const receivedRequest = { headers: request.headers, body, response };
    received.push(receivedRequest);
    answer(receivedRequest, received.length);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

export interface FixtureOptions extends Partial<DeliveryLoopDeps> {
  readonly url: string;
  readonly settings?: Partial<WebhookSettings>;
  readonly policy?: Partial<DeliveryLoopDeps['context']['policy']>;
  readonly decryptSecrets?: DeliveryLoopDeps['context']['decryptSecrets'];
  /** The error with which opening the sender fails; null: it succeeds. */
  readonly openFault?: () => Error | null;
  /** Replaces methods of the store. */
  readonly storeOverrides?: (store: DeliveryStore) => {
    readonly [Method in keyof DeliveryStore]?: DeliveryStore[Method] | undefined;
  };
}

/** Creates a webhook in memory, and a loop that sends the deliveries of the webhook. */
export async function workerFixture(options: FixtureOptions) {
  const {
    url,
    settings,
    policy,
    storeOverrides,
    decryptSecrets,
    openFault = () => null,
    ...deps
  } = options;
  await undici.load();
  const storage = memoryStorage();
  const store: DeliveryStore = storage.deliveries;
  const webhook = {
    ...REF,
    event: 'Contact.Added',
    url,
    encryptedSecret: 's',
    rateLimit: 10_000,
    rateLimitPeriod: 'second' as const,
    ...settings,
  };
  await storage.webhooks.create(webhook, { maxPerAccount: 1 });
  const events: SecurityEvent[] = [];
  const storeMethods = {
    publish: store.publish.bind(store),
    claim: store.claim.bind(store),
    complete: store.complete.bind(store),
    subscribe: store.subscribe?.bind(store),
  };
  const loop = new DeliveryLoop({
    store: { ...storeMethods, ...storeOverrides?.(store) } as DeliveryLoopDeps['store'],
    sender: lazySender(async () => {
      const fault = openFault();
      if (fault !== null) throw fault;
      return createSender({
        allowHttp: true,
        allowPrivateAddresses: true,
        allowedPorts: 'any',
        timeoutMs: 5_000,
      });
    }),
    context: {
      policy: {
        maxWebhooksPerAccount: 1,
        retentionMs: 30 * DAY_MS,
        idempotencyMs: DAY_MS,
        maxQueuedPerWebhook: 1_000,
        maxInFlightPerWebhook: 10,
        maxInFlightPerAccount: 100,
        disableAfterMs: 5 * DAY_MS,
        secretOverlapMs: DAY_MS,
        leaseMs: 20_000,
        maxStalledAttempts: 5,
        allowHttp: true,
        allowPrivateAddresses: true,
        allowedPorts: 'any',
        ...policy,
      },
      decryptSecrets: decryptSecrets ?? (() => [Buffer.alloc(32, 1)]),
      emit: (event) => void events.push(event),
    },
    timers: systemTimers,
    random: () => 0.5,
    nowMs: () => performance.now(),
    concurrency: 50,
    ...deps,
  });
  onTestFinished(async () => void (await loop.stop(0)));

  async function publish(count: number): Promise<readonly string[]> {
    const ids = Array.from({ length: count }, (_, nth) => `msg_${nth + 1}`);
    for (const messageId of ids) {
      await store.publish({
        accountId: 1,
        messageId,
        event: 'Contact.Added',
        body: `{"id":"${messageId}"}`,
        webhookId: null,
        idempotencyKey: null,
        idempotencyMs: DAY_MS,
        retentionMs: 30 * DAY_MS,
        maxQueued: 1_000,
      });
    }
    return ids;
  }

  async function states(): Promise<readonly ListedDelivery[]> {
    return (await store.list(REF, { limit: 100, after: null })) ?? [];
  }

  return { loop, publish, states, events, store };
}
