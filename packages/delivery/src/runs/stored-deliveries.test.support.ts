import { type Clock, memoryStorage, systemClock } from '@latchhook/core';
import type { DeliveryRecord, DeliveryStore } from '@latchhook/core/storage';
import {
  type Script,
  type ScriptedDeps,
  scheduled,
  scriptedDeps,
} from './scripted-deps.test.support.ts';

const ACCOUNT_ID = 1;

export interface StoredDeliveries {
  readonly deliveries: DeliveryStore;
  /** Stores deliveries to a webhook that is new, and whose rate is no limit: all are due at once. */
  publish(webhookId: string, deliveryIds: readonly string[]): Promise<void>;
}

/** A store in memory. */
export function storedDeliveries(clock: Clock = systemClock): StoredDeliveries {
  const { webhooks, deliveries } = memoryStorage({ clock });
  return {
    deliveries,
    async publish(webhookId, deliveryIds) {
      const ref = { accountId: ACCOUNT_ID, webhookId };
      const rate = { rateLimit: 10_000, rateLimitPeriod: 'second' } as const;
      const fields = { event: 'Contact.Added', url: 'https://example.com', sealedSecret: '' };
      await webhooks.create({ ...ref, ...fields, ...rate }, { maxPerAccount: 10 });
      for (const messageId of deliveryIds) {
        const message = { messageId, event: 'Contact.Added', body: '{}', idempotencyKey: null };
        const bounds = { idempotencyMs: 1, retentionMs: 1e9, maxQueued: 1e6, rateMarginMs: 0 };
        await deliveries.publish({ ...ref, ...message, ...bounds });
      }
    },
  };
}

export interface StoredDeps extends ScriptedDeps {
  /** What the store knows of a delivery. */
  recordOf(deliveryId: string): Promise<DeliveryRecord | null>;
}

/**
 * What runs are made with over a store in memory that holds these deliveries. `calls` are those of the sender alone.
 */
export async function storedDeps(
  deliveryIds: readonly string[],
  receiver: Pick<Script, 'send' | 'openSecrets'> = {},
  clock: Clock = systemClock,
): Promise<StoredDeps> {
  const { deliveries, publish } = storedDeliveries(clock);
  await publish(scheduled('').webhookId, deliveryIds);
  const deps = scriptedDeps(receiver);
  return {
    ...deps,
    context: { ...deps.context, deliveries, clock },
    recordOf: (deliveryId) => Promise.resolve(deliveries.find(scheduled(deliveryId))),
  };
}
