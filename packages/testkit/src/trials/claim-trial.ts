import assert from 'node:assert/strict';
import type { ClaimStore, Storage, WebhookStore } from '@latchhook/core/storage';
import type { StorageHarness } from '../storage-harness.ts';
import type { Proof } from '../suite.ts';
import { type Trial, tryOnNew } from './trial.ts';

/** How the kit opens a storage that keeps webhooks and their queues, whatever else it keeps. */
export type ClaimHarness = StorageHarness<Pick<Storage, 'webhooks' | 'claims'>>;

/** Webhooks and their queues, over one connection. */
export interface ClaimStores {
  readonly webhooks: WebhookStore;
  readonly claims: ClaimStore;
}

/** What a claim about deliveries is tried on. */
export interface ClaimTrial extends Trial<ClaimStores>, ClaimStores {}

export function tryClaims(harness: ClaimHarness, prove: Proof<ClaimTrial>): Promise<void> {
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

function storesOf({ webhooks, claims }: Pick<Storage, keyof ClaimStores>): ClaimStores {
  assert.ok(webhooks !== undefined, 'the storage has no `webhooks` to certify');
  assert.ok(claims !== undefined, 'the storage has no `claims` to certify');
  return { webhooks, claims };
}
