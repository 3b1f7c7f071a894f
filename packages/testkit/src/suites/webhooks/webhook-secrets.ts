import assert from 'node:assert/strict';
import { SIGNING_SECRETS_KEPT, type WebhookRef, type WebhookStore } from '@latchhook/core/storage';
import { claimOnce, publishAll } from '../../actions/claim.ts';
import { register } from '../../actions/register-webhook.ts';
import type { WebhookFixture } from '../../fixtures/webhook-fixture.ts';
import { HOUR_MS } from '../../samples/login-samples.ts';
import { newWebhook, SECOND_MS } from '../../samples/webhook-samples.ts';
import type { Suite } from '../../suite.ts';

const { encryptedSecret: FIRST } = newWebhook('w1');

export const webhookSecrets: Suite<WebhookFixture> = {
  name: 'webhooks: signing secrets',
  cases: {
    'returns the new secret first, then the old secret for overlapMs': async ({
      webhooks,
      clock,
    }) => {
      const created = await register(webhooks, 'w1');
      clock.advance(SECOND_MS);
      const rotated = await webhooks.rotateSecret(created, { encrypted: 'b', overlapMs: HOUR_MS });
      assert.deepEqual(rotated, {
        ...created,
        updatedAtMs: clock.nowMs(),
        secrets: [
          { encrypted: 'b', retiresAtMs: null },
          { encrypted: FIRST, retiresAtMs: clock.nowMs() + HOUR_MS },
        ],
      });
      assert.deepEqual(await webhooks.find(created), rotated);
    },

    'retires an old secret in the millisecond that overlapMs ends': async ({ webhooks, clock }) => {
      const ref = await register(webhooks, 'w1');
      await webhooks.rotateSecret(ref, { encrypted: 'b', overlapMs: HOUR_MS });
      clock.advance(HOUR_MS - 1);
      assert.deepEqual(await encryptedOf(webhooks, ref), ['b', FIRST]);
      clock.advance(1);
      assert.deepEqual(await encryptedOf(webhooks, ref), ['b']);
    },

    'keeps the retirement time of an old secret on later rotations': async ({
      webhooks,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      await webhooks.rotateSecret(ref, { encrypted: 'b', overlapMs: HOUR_MS });
      clock.advance(SECOND_MS);
      await webhooks.rotateSecret(ref, { encrypted: 'c', overlapMs: 2 * HOUR_MS });
      assert.deepEqual(await encryptedOf(webhooks, ref), ['c', 'b', FIRST]);
      clock.advance(HOUR_MS - SECOND_MS);
      assert.deepEqual(await encryptedOf(webhooks, ref), ['c', 'b']);
      clock.advance(HOUR_MS + SECOND_MS);
      assert.deepEqual(await encryptedOf(webhooks, ref), ['c']);
    },

    'retires all old secrets immediately if overlapMs is 0': async ({ webhooks }) => {
      const ref = await register(webhooks, 'w1');
      await webhooks.rotateSecret(ref, { encrypted: 'b', overlapMs: HOUR_MS });
      const rotated = await webhooks.rotateSecret(ref, { encrypted: 'c', overlapMs: 0 });
      assert.deepEqual(rotated?.secrets, [{ encrypted: 'c', retiresAtMs: null }]);
      assert.deepEqual(await encryptedOf(webhooks, ref), ['c']);
    },

    'drops the oldest secret beyond SIGNING_SECRETS_KEPT': async ({ webhooks }) => {
      const ref = await register(webhooks, 'w1');
      const rotated = Array.from({ length: SIGNING_SECRETS_KEPT }, (_, i) => `rotated ${i}`);
      for (const encrypted of rotated.slice(1)) {
        await webhooks.rotateSecret(ref, { encrypted, overlapMs: HOUR_MS });
      }
      assert.deepEqual(await encryptedOf(webhooks, ref), [...rotated.slice(1).reverse(), FIRST]);
      await webhooks.rotateSecret(ref, { encrypted: 'rotated 0', overlapMs: HOUR_MS });
      assert.deepEqual(await encryptedOf(webhooks, ref), [
        'rotated 0',
        ...rotated.slice(1).reverse(),
      ]);
    },

    'claims an attempt with the secrets that are valid at the time of the claim': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      await publishAll(deliveries, 2);
      const rotated = await webhooks.rotateSecret(ref, { encrypted: 'b', overlapMs: HOUR_MS });
      const [early] = (await claimOnce(deliveries, { limit: 1 })).attempts;
      assert.deepEqual(early?.webhook.secrets, rotated?.secrets);
      clock.advance(HOUR_MS);
      const [late] = (await claimOnce(deliveries, { limit: 1 })).attempts;
      assert.deepEqual(late?.webhook.secrets, [{ encrypted: 'b', retiresAtMs: null }]);
    },
  },
};

async function encryptedOf(webhooks: WebhookStore, ref: WebhookRef): Promise<readonly string[]> {
  const record = await webhooks.find(ref);
  return (record?.secrets ?? []).map(({ encrypted }) => encrypted);
}
