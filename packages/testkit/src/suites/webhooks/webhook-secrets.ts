import assert from 'node:assert/strict';
import { SIGNING_SECRETS_KEPT } from '@latchhook/core/storage';
import { webhookSuite } from '../../fixtures/webhook-fixture.ts';
import { HOUR_MS } from '../../samples/login-samples.ts';
import { newWebhook, SECOND_MS } from '../../samples/webhook-samples.ts';

const { encryptedSecret: FIRST } = newWebhook('w1');

export const webhookSecrets = webhookSuite('webhooks: signing secrets', {
  'returns the new secret first, then the old secret for overlapMs': async (t) => {
    const created = await t.register('w1');
    t.clock.advance(SECOND_MS);
    const rotated = await t.webhooks.rotateSecret(created, { encrypted: 'b', overlapMs: HOUR_MS });
    assert.deepEqual(rotated, {
      ...created,
      updatedAtMs: t.clock.nowMs(),
      secrets: [
        { encrypted: 'b', retiresAtMs: null },
        { encrypted: FIRST, retiresAtMs: t.clock.nowMs() + HOUR_MS },
      ],
    });
    assert.deepEqual(await t.webhooks.find(created), rotated);
  },

  'retires an old secret in the millisecond that overlapMs ends': async (t) => {
    const ref = await t.register('w1');
    await t.webhooks.rotateSecret(ref, { encrypted: 'b', overlapMs: HOUR_MS });
    await t.elapseCheckingJustBefore(HOUR_MS, async () =>
      assert.deepEqual(await t.encryptedSecrets(ref), ['b', FIRST]),
    );
    assert.deepEqual(await t.encryptedSecrets(ref), ['b']);
  },

  'keeps the retirement time of an old secret on later rotations': async (t) => {
    const ref = await t.register('w1');
    await t.webhooks.rotateSecret(ref, { encrypted: 'b', overlapMs: HOUR_MS });
    t.clock.advance(SECOND_MS);
    await t.webhooks.rotateSecret(ref, { encrypted: 'c', overlapMs: 2 * HOUR_MS });
    assert.deepEqual(await t.encryptedSecrets(ref), ['c', 'b', FIRST]);
    t.clock.advance(HOUR_MS - SECOND_MS);
    assert.deepEqual(await t.encryptedSecrets(ref), ['c', 'b']);
    t.clock.advance(HOUR_MS + SECOND_MS);
    assert.deepEqual(await t.encryptedSecrets(ref), ['c']);
  },

  'retires all old secrets immediately if overlapMs is 0': async (t) => {
    const ref = await t.register('w1');
    await t.webhooks.rotateSecret(ref, { encrypted: 'b', overlapMs: HOUR_MS });
    const rotated = await t.webhooks.rotateSecret(ref, { encrypted: 'c', overlapMs: 0 });
    assert.deepEqual(rotated?.secrets, [{ encrypted: 'c', retiresAtMs: null }]);
    assert.deepEqual(await t.encryptedSecrets(ref), ['c']);
  },

  'drops the oldest secret beyond SIGNING_SECRETS_KEPT': async (t) => {
    const ref = await t.register('w1');
    const rotated = Array.from({ length: SIGNING_SECRETS_KEPT - 1 }, (_, i) => `rotated ${i}`);
    for (const encrypted of rotated) {
      await t.webhooks.rotateSecret(ref, { encrypted, overlapMs: HOUR_MS });
    }
    assert.deepEqual(await t.encryptedSecrets(ref), [...rotated.toReversed(), FIRST]);
    await t.webhooks.rotateSecret(ref, { encrypted: 'last', overlapMs: HOUR_MS });
    assert.deepEqual(await t.encryptedSecrets(ref), ['last', ...rotated.toReversed()]);
  },

  'claims an attempt with the secrets that are valid at the time of the claim': async (t) => {
    const ref = await t.registerWithMessages(2);
    const rotated = await t.webhooks.rotateSecret(ref, { encrypted: 'b', overlapMs: HOUR_MS });
    const [early] = (await t.claimOnce({ limit: 1 })).attempts;
    assert.deepEqual(early?.webhook.secrets, rotated?.secrets);
    t.clock.advance(HOUR_MS);
    const [late] = (await t.claimOnce({ limit: 1 })).attempts;
    assert.deepEqual(late?.webhook.secrets, [{ encrypted: 'b', retiresAtMs: null }]);
  },
});
