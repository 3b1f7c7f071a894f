import assert from 'node:assert/strict';
import type { DeliveryStore, Storage, WebhookStore } from '@latchhook/core/storage';
import type { StorageHarness } from '../storage-harness.ts';
import type { Proof } from '../suite.ts';
import { type Trial, tryOnNew } from './trial.ts';

/** How the kit opens a storage that keeps webhooks, whatever else it keeps. */
export type WebhookHarness = StorageHarness<Pick<Storage, 'webhooks' | 'deliveries'>>;

/** Webhooks and their deliveries, over one connection. */
export interface WebhookStores {
  readonly webhooks: WebhookStore;
  readonly deliveries: DeliveryStore;
}

/** What a claim about webhooks or their deliveries is tried on. */
export interface WebhookTrial extends Trial<WebhookStores>, WebhookStores {}

export function tryWebhooks(harness: WebhookHarness, prove: Proof<WebhookTrial>): Promise<void> {
  return tryOnNew(harness, (trial) => {
    const storage = storesOf(trial.storage);
    return prove({
      ...trial,
      ...storage,
      storage,
      connections: async (count) => (await trial.connections(count)).map(storesOf),
    });
  });
}

export function storesOf({
  webhooks,
  deliveries,
}: Pick<Storage, keyof WebhookStores>): WebhookStores {
  assert.ok(webhooks !== undefined, 'the storage has no `webhooks` to certify');
  assert.ok(deliveries !== undefined, 'the storage has no `claims` to certify');
  return { webhooks, deliveries };
}
