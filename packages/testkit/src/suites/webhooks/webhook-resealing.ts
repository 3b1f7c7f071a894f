import assert from 'node:assert/strict';
import type { SealedItem, WebhookRecord, WebhookRef, WebhookStore } from '@latchhook/core/storage';
import { inParallel } from '../../actions/in-parallel.ts';
import { register } from '../../actions/register-webhook.ts';
import { assertMet, walkSealed } from '../../actions/walk-sealed.ts';
import { newWebhook } from '../../samples/webhook-samples.ts';
import type { Suite } from '../../suite.ts';
import type { WebhookTrial } from '../../trials/webhook-trial.ts';

const PROCESSES = 8;
const HOUR_MS = 3_600_000;
const { sealedSecret: expected } = newWebhook('w1');

export const webhookResealing: Suite<WebhookTrial> = {
  name: 'webhooks: resealing',
  claims: {
    'lists the secrets of every account’s webhooks': async ({ webhooks }) => {
      const all: SealedItem<WebhookRef>[] = [];
      for (let nth = 0; nth < 30; nth += 1) {
        const change = { accountId: 1 + (nth % 7), sealedSecret: `sealed ${nth}` };
        all.push(itemOf(await register(webhooks, `w${nth}`, change), change.sealedSecret));
      }
      for (const limit of [100, 7, 1]) assertMet(await walkSealed(webhooks, limit), all);
    },

    'goes on after a page on which nothing is left': async ({ webhooks }) => {
      const refs: WebhookRecord[] = [];
      for (let nth = 0; nth < 30; nth += 1) {
        refs.push(await register(webhooks, `w${nth}`, { sealedSecret: expected }));
      }
      for (const ref of refs.slice(8, 24)) await webhooks.remove(ref);
      const left = [...refs.slice(0, 8), ...refs.slice(24)].map((ref) => itemOf(ref, expected));
      for (const limit of [5, 1]) assertMet(await walkSealed(webhooks, limit), left);
    },

    'lists each secret that signs, and none that has retired or was removed': async ({
      webhooks,
      clock,
    }) => {
      assertMet(await walkSealed(webhooks, 10), []);
      const [ref, removed] = [await register(webhooks, 'w1'), await register(webhooks, 'w2')];
      await webhooks.remove(removed);
      await webhooks.rotateSecret(ref, { sealed: 'b', overlapMs: HOUR_MS });
      assertMet(await walkSealed(webhooks, 10), [itemOf(ref, 'b'), itemOf(ref, expected)]);
      clock.advance(HOUR_MS);
      assertMet(await walkSealed(webhooks, 10), [itemOf(ref, 'b')]);
    },

    'changes nothing of a webhook except how the secret is sealed': async ({ webhooks, clock }) => {
      const other = await register(webhooks, 'w2');
      const ref = await register(webhooks, 'w1');
      const rotated = await webhooks.rotateSecret(ref, { sealed: 'b', overlapMs: HOUR_MS });
      clock.advance(1000);
      assert.equal(await webhooks.replaceSealed(ref, { expected, replacement: 'resealed' }), true);
      const [current, former] = rotated?.secrets ?? [];
      assert.deepEqual(await webhooks.find(ref), {
        ...rotated,
        secrets: [current, { ...former, sealed: 'resealed' }],
      });
      assert.deepEqual(await webhooks.find(other), other);
      clock.advance(HOUR_MS - 1000);
      assert.deepEqual(await sealedOf(webhooks, ref), ['b']);
    },

    'leaves a secret alone that is not the expected one': async ({ webhooks }) => {
      const stranger = { accountId: 2, webhookId: 'w1' };
      const ref = await register(webhooks, 'w1');
      const change = { expected: 'other', replacement: 'resealed' };
      assert.equal(await webhooks.replaceSealed(ref, change), false);
      assert.equal(await webhooks.replaceSealed(stranger, { ...change, expected }), false);
      assert.deepEqual(await webhooks.find(ref), ref);
      assert.equal(await webhooks.find(stranger), null);
    },

    'answers the same when repeated': async ({ webhooks }) => {
      const ref = await register(webhooks, 'w1');
      for (let time = 0; time < 2; time += 1) {
        assert.equal(
          await webhooks.replaceSealed(ref, { expected, replacement: 'resealed' }),
          true,
        );
      }
      assert.deepEqual(await sealedOf(webhooks, ref), ['resealed']);
    },

    'is done by one of many processes that try at once, and loses no new secret': async ({
      webhooks,
      connections,
    }) => {
      const ref = await register(webhooks, 'w1');
      const processes = await connections(PROCESSES);
      const [answers] = await Promise.all([
        inParallel(50, processes, (process, nth) =>
          process.webhooks.replaceSealed(ref, { expected, replacement: `resealed ${nth}` }),
        ),
        webhooks.rotateSecret(ref, { sealed: 'b', overlapMs: HOUR_MS }),
      ]);
      const done = answers.flatMap((isThere, nth) => (isThere ? [`resealed ${nth}`] : []));
      assert.deepEqual(await sealedOf(webhooks, ref), ['b', ...done]);
      assert.equal(done.length, 1);
    },
  },
};

function itemOf({ accountId, webhookId }: WebhookRef, sealed: string): SealedItem<WebhookRef> {
  return { owner: { accountId, webhookId }, sealed };
}

async function sealedOf(webhooks: WebhookStore, ref: WebhookRef): Promise<readonly string[]> {
  return ((await webhooks.find(ref))?.secrets ?? []).map(({ sealed }) => sealed);
}
