import { beforeEach, describe, expect, it } from 'vitest';
import type { NewWebhook } from '../webhook-store.ts';
import { MemoryWebhookStore } from './memory-webhook-store.ts';
import { WebhookStates } from './webhook-states.ts';

const ref = { accountId: 1, webhookId: 'wh_1' };

const webhook: NewWebhook = {
  ...ref,
  event: 'Contact.Added',
  url: 'https://receiver.example',
  rateLimit: 50,
  rateLimitPeriod: 'second',
  encryptedSecret: 'encrypted 0',
};

// What the contract promises is certified by the testkit, in test/storage.
describe('MemoryWebhookStore', () => {
  let nowMs: number;
  let store: MemoryWebhookStore;

  beforeEach(async () => {
    nowMs = 0;
    store = new MemoryWebhookStore(new WebhookStates({ nowMs: () => nowMs }));
    await store.create(webhook, { maxPerAccount: 1 });
  });

  it('returns the same webhook for a repeated creation, even if the account is full', async () => {
    const again = await store.create({ ...webhook, url: 'ignored' }, { maxPerAccount: 1 });
    expect(again).toEqual({ outcome: 'created', webhook: await store.find(ref) });
  });

  it('does not change a record that it has returned', async () => {
    const before = await store.find(ref);
    const copy = structuredClone(before);
    await store.change(ref, { rateLimit: 10 });
    await store.rotateSecret(ref, { encrypted: 'encrypted 1', overlapMs: 1000 });
    expect(before).toEqual(copy);
  });

  it('sets updatedAtMs when something was changed, and only then', async () => {
    nowMs = 1;
    expect(await store.change(ref, { rateLimit: 10 })).toMatchObject({ updatedAtMs: 1 });
    nowMs = 2;
    expect(await store.change(ref, { rateLimit: 10 })).toMatchObject({ updatedAtMs: 1 });
    expect(await store.enable(ref)).toMatchObject({ webhook: { updatedAtMs: 1 } });
    const rotation = { encrypted: 'encrypted 1', overlapMs: 1000 };
    expect(await store.rotateSecret(ref, rotation)).toMatchObject({ updatedAtMs: 2 });
    nowMs = 3;
    expect(await store.rotateSecret(ref, rotation)).toMatchObject({ updatedAtMs: 2 });
  });

  it('keeps ten secrets at most after twelve rotations', async () => {
    for (let nth = 1; nth <= 12; nth += 1) {
      await store.rotateSecret(ref, { encrypted: `encrypted ${nth}`, overlapMs: 1000 });
    }
    const record = await store.find(ref);
    expect(record?.secrets.map(({ encrypted }) => encrypted)).toEqual(
      [12, 11, 10, 9, 8, 7, 6, 5, 4, 3].map((nth) => `encrypted ${nth}`),
    );
    nowMs = 1000;
    expect((await store.find(ref))?.secrets).toEqual([
      { encrypted: 'encrypted 12', retiresAtMs: null },
    ]);
  });
});
