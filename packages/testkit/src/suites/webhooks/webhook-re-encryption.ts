import assert from 'node:assert/strict';
import type { EncryptedItem, WebhookRecord, WebhookRef } from '@latchhook/core/storage';
import { inParallel } from '../../actions/in-parallel.ts';
import { assertSameItems, walkEncrypted } from '../../actions/walk-encrypted.ts';
import { PROCESSES } from '../../fixtures/fixture.ts';
import { webhookSuite } from '../../fixtures/webhook-fixture.ts';
import { HOUR_MS } from '../../samples/login-samples.ts';
import { newWebhook, SECOND_MS } from '../../samples/webhook-samples.ts';

const { encryptedSecret: expected } = newWebhook('w1');
const REPLACEMENT = { expected, replacement: 'reencrypted' };

export const webhookReencryption = webhookSuite('webhooks: re-encryption', {
  'lists the secrets of every account’s webhooks': async (t) => {
    const items: EncryptedItem<WebhookRef>[] = [];
    for (let i = 0; i < 30; i += 1) {
      const change = { accountId: 1 + (i % 7), encryptedSecret: `encrypted ${i}` };
      items.push(itemOf(await t.register(`w${i}`, change), change.encryptedSecret));
    }
    for (const limit of [100, 7, 1]) assertSameItems(await walkEncrypted(t.webhooks, limit), items);
  },

  'continues after a page whose webhooks were all removed': async (t) => {
    const refs: WebhookRecord[] = [];
    for (let i = 0; i < 30; i += 1) {
      refs.push(await t.register(`w${i}`, { encryptedSecret: expected }));
    }
    for (const ref of refs.slice(8, 24)) await t.webhooks.remove(ref);
    const remaining = [...refs.slice(0, 8), ...refs.slice(24)].map((ref) => itemOf(ref, expected));
    for (const limit of [5, 1]) assertSameItems(await walkEncrypted(t.webhooks, limit), remaining);
  },

  'lists current and overlapping secrets, but none that is retired or removed': async (t) => {
    assertSameItems(await walkEncrypted(t.webhooks, 10), []);
    const [ref, removed] = [await t.register('w1'), await t.register('w2')];
    await t.webhooks.remove(removed);
    await t.webhooks.rotateSecret(ref, { encrypted: 'b', overlapMs: HOUR_MS });
    assertSameItems(await walkEncrypted(t.webhooks, 10), [itemOf(ref, 'b'), itemOf(ref, expected)]);
    t.clock.advance(HOUR_MS);
    assertSameItems(await walkEncrypted(t.webhooks, 10), [itemOf(ref, 'b')]);
  },

  'replaces only the encrypted secret of the webhook': async (t) => {
    const other = await t.register('w2');
    const ref = await t.register('w1');
    const rotated = await t.webhooks.rotateSecret(ref, { encrypted: 'b', overlapMs: HOUR_MS });
    t.clock.advance(SECOND_MS);
    assert.equal(await t.webhooks.replaceEncrypted(ref, REPLACEMENT), true);
    const [current, former] = rotated?.secrets ?? [];
    assert.deepEqual(await t.webhooks.find(ref), {
      ...rotated,
      secrets: [current, { ...former, encrypted: 'reencrypted' }],
    });
    assert.deepEqual(await t.webhooks.find(other), other);
    t.clock.advance(HOUR_MS - SECOND_MS);
    assert.deepEqual(await t.encryptedSecrets(ref), ['b']);
  },

  'replaces no secret that differs from the expected secret': async (t) => {
    const stranger = { accountId: 2, webhookId: 'w1' };
    const webhook = await t.register('w1');
    assert.equal(
      await t.webhooks.replaceEncrypted(webhook, { ...REPLACEMENT, expected: 'other' }),
      false,
    );
    assert.equal(await t.webhooks.replaceEncrypted(stranger, REPLACEMENT), false);
    assert.deepEqual(await t.webhooks.find(webhook), webhook);
    assert.equal(await t.webhooks.find(stranger), null);
  },

  'returns true if replaceEncrypted() is repeated': async (t) => {
    const ref = await t.register('w1');
    for (let call = 0; call < 2; call += 1) {
      assert.equal(await t.webhooks.replaceEncrypted(ref, REPLACEMENT), true);
    }
    assert.deepEqual(await t.encryptedSecrets(ref), ['reencrypted']);
  },

  'replaces a secret once under 50 parallel calls, and undoes no rotation': async (t) => {
    const ref = await t.register('w1');
    const processes = await t.connections(PROCESSES);
    const [results] = await Promise.all([
      inParallel(50, processes, (connection, i) =>
        connection.webhooks.replaceEncrypted(ref, { expected, replacement: `reencrypted ${i}` }),
      ),
      t.webhooks.rotateSecret(ref, { encrypted: 'b', overlapMs: HOUR_MS }),
    ]);
    const replacements = results.flatMap((isReplaced, i) =>
      isReplaced ? [`reencrypted ${i}`] : [],
    );
    assert.deepEqual(await t.encryptedSecrets(ref), ['b', ...replacements]);
    assert.equal(replacements.length, 1);
  },
});

function itemOf(
  { accountId, webhookId }: WebhookRef,
  encrypted: string,
): EncryptedItem<WebhookRef> {
  return { owner: { accountId, webhookId }, encrypted };
}
