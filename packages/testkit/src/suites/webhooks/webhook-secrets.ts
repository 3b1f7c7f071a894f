import assert from 'node:assert/strict';
import { SIGNING_SECRETS_KEPT, type WebhookRef, type WebhookStore } from '@latchhook/core/storage';
import { claimOnce, publishAll } from '../../actions/claim.ts';
import { register } from '../../actions/register-webhook.ts';
import { newWebhook } from '../../samples/webhook-samples.ts';
import type { Suite } from '../../suite.ts';
import type { WebhookTrial } from '../../trials/webhook-trial.ts';

const HOUR_MS = 3_600_000;
const { sealedSecret: FIRST } = newWebhook('w1');

export const webhookSecrets: Suite<WebhookTrial> = {
  name: 'webhooks: signing secrets',
  claims: {
    'put a new one first, and let the old one sign for overlapMs': async ({ webhooks, clock }) => {
      const created = await register(webhooks, 'w1');
      clock.advance(1000);
      const rotated = await webhooks.rotateSecret(created, { sealed: 'b', overlapMs: HOUR_MS });
      assert.deepEqual(rotated, {
        ...created,
        updatedAtMs: clock.nowMs(),
        secrets: [
          { sealed: 'b', retiresAtMs: null },
          { sealed: FIRST, retiresAtMs: clock.nowMs() + HOUR_MS },
        ],
      });
      assert.deepEqual(await webhooks.find(created), rotated);
    },

    'retire to the millisecond': async ({ webhooks, clock }) => {
      const ref = await register(webhooks, 'w1');
      await webhooks.rotateSecret(ref, { sealed: 'b', overlapMs: HOUR_MS });
      clock.advance(HOUR_MS - 1);
      assert.deepEqual(await sealedOf(webhooks, ref), ['b', FIRST]);
      clock.advance(1);
      assert.deepEqual(await sealedOf(webhooks, ref), ['b']);
    },

    'retire at the time that was set, whatever is rotated later': async ({ webhooks, clock }) => {
      const ref = await register(webhooks, 'w1');
      await webhooks.rotateSecret(ref, { sealed: 'b', overlapMs: HOUR_MS });
      clock.advance(1000);
      await webhooks.rotateSecret(ref, { sealed: 'c', overlapMs: 2 * HOUR_MS });
      assert.deepEqual(await sealedOf(webhooks, ref), ['c', 'b', FIRST]);
      clock.advance(HOUR_MS - 1000);
      assert.deepEqual(await sealedOf(webhooks, ref), ['c', 'b']);
      clock.advance(HOUR_MS + 1000);
      assert.deepEqual(await sealedOf(webhooks, ref), ['c']);
    },

    'retire at once, all of them, if one has leaked': async ({ webhooks }) => {
      const ref = await register(webhooks, 'w1');
      await webhooks.rotateSecret(ref, { sealed: 'b', overlapMs: HOUR_MS });
      const rotated = await webhooks.rotateSecret(ref, { sealed: 'c', overlapMs: 0 });
      assert.deepEqual(rotated?.secrets, [{ sealed: 'c', retiresAtMs: null }]);
      assert.deepEqual(await sealedOf(webhooks, ref), ['c']);
    },

    'are limited in number: the oldest no longer sign': async ({ webhooks }) => {
      const ref = await register(webhooks, 'w1');
      const rotated = Array.from({ length: SIGNING_SECRETS_KEPT }, (_, nth) => `rotated ${nth}`);
      for (const sealed of rotated.slice(1)) {
        await webhooks.rotateSecret(ref, { sealed, overlapMs: HOUR_MS });
      }
      assert.deepEqual(await sealedOf(webhooks, ref), [...rotated.slice(1).reverse(), FIRST]);
      await webhooks.rotateSecret(ref, { sealed: 'rotated 0', overlapMs: HOUR_MS });
      assert.deepEqual(await sealedOf(webhooks, ref), ['rotated 0', ...rotated.slice(1).reverse()]);
    },

    'sign an attempt if they sign when it is claimed': async ({ webhooks, deliveries, clock }) => {
      const ref = await register(webhooks, 'w1');
      await publishAll(deliveries, 2);
      const rotated = await webhooks.rotateSecret(ref, { sealed: 'b', overlapMs: HOUR_MS });
      const [early] = (await claimOnce(deliveries, { limit: 1 })).attempts;
      assert.deepEqual(early?.webhook.secrets, rotated?.secrets);
      clock.advance(HOUR_MS);
      const [late] = (await claimOnce(deliveries, { limit: 1 })).attempts;
      assert.deepEqual(late?.webhook.secrets, [{ sealed: 'b', retiresAtMs: null }]);
    },
  },
};

async function sealedOf(webhooks: WebhookStore, ref: WebhookRef): Promise<readonly string[]> {
  const record = await webhooks.find(ref);
  return (record?.secrets ?? []).map(({ sealed }) => sealed);
}
