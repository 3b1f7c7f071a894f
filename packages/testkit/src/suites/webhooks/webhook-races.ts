import assert from 'node:assert/strict';
import {
  CLAIM,
  claimAll,
  claimSingle,
  completeAttempts,
  DELIVERED,
  GONE,
  listDeliveries,
  publishOne,
} from '../../actions/claim.ts';
import { inParallel } from '../../actions/in-parallel.ts';
import { tally } from '../../actions/outcomes.ts';
import { assertFound, register } from '../../actions/register-webhook.ts';
import type { WebhookFixture, WebhookStores } from '../../fixtures/webhook-fixture.ts';
import { ACCOUNT_ID, newMessage, newWebhook } from '../../samples/webhook-samples.ts';
import type { Suite } from '../../suite.ts';

const PROCESSES = 8;
/** Several, because a defect may show only in some rounds of a race. */
const ROUNDS = 10;

export const webhookRaces: Suite<WebhookFixture> = {
  name: 'webhooks: races between processes',
  cases: {
    'creates no more than maxPerAccount webhooks under 50 parallel calls': async ({
      webhooks,
      connections,
    }) => {
      const results = await inParallel(50, await connections(PROCESSES), (storage, i) =>
        storage.webhooks.create(newWebhook(`w${i}`), { maxPerAccount: 5 }),
      );
      assert.deepEqual(tally(results), { created: 5, limit_reached: 45 });
      assert.equal((await webhooks.list(ACCOUNT_ID, { limit: 100, after: null })).length, 5);
    },

    'returns enabled to one of 20 parallel calls of enable()': async ({
      webhooks,
      deliveries,
      connections,
    }) => {
      const ref = await register(webhooks, 'w1');
      await publishOne(deliveries, 'm1');
      await completeAttempts(deliveries, [await claimSingle(deliveries)], GONE);
      const results = await inParallel(20, await connections(PROCESSES), async (storage) =>
        assertFound(await storage.webhooks.enable(ref)),
      );
      assert.deepEqual(tally(results), { enabled: 1, was_enabled: 19 });
    },

    'publishes one message under 100 parallel calls with the same id': async ({
      webhooks,
      deliveries,
      connections,
    }) => {
      const ref = await register(webhooks, 'w1');
      const results = await inParallel(100, await connections(PROCESSES), (storage) =>
        storage.deliveries.publish(newMessage('m1')),
      );
      assert.deepEqual(tally(results), { published: 1, duplicate: 99 });
      assert.equal((await listDeliveries(deliveries, ref)).length, 1);
      assert.equal((await claimAll(deliveries)).length, 1);
    },

    'shows concurrent readers all deliveries of a message or none': async ({
      webhooks,
      connections,
    }) => {
      for (let i = 0; i < 20; i += 1) await register(webhooks, `w${i}`);
      const counts = await inParallel(160, await connections(PROCESSES), async (storage, i) => {
        if (i % 4 === 0) await publishOne(storage.deliveries, `m${i}`);
        return (await storage.deliveries.stats()).pending;
      });
      assert.deepEqual(
        counts.filter((count) => count % 20 !== 0),
        [],
      );
      assert.equal(Math.max(...counts), 40 * 20);
    },

    'leaves no delivery of a webhook that is removed while messages are published': async ({
      webhooks,
      deliveries,
      connections,
    }) => {
      const processes = await connections(PROCESSES);
      for (let round = 0; round < ROUNDS; round += 1) {
        const ref = await register(webhooks, `w${round}`);
        await Promise.all([
          inParallel(PROCESSES, processes, (storage, i) =>
            storage.deliveries.publish(newMessage(`m${round}.${i}`)),
          ),
          webhooks.remove(ref),
        ]);
        assert.deepEqual(await deliveries.stats(), { pending: 0, oldestDueAgeMs: 0 });
        assert.deepEqual(await claimAll(deliveries), []);
        assert.equal(await deliveries.list(ref, { limit: 100, after: null }), null);
      }
    },

    'claims no attempt after remove() has returned': async ({
      webhooks,
      deliveries,
      connections,
    }) => {
      const processes = await connections(PROCESSES);
      for (let round = 0; round < ROUNDS; round += 1) {
        const ref = await register(webhooks, `w${round}`);
        await publishRound(deliveries, round);
        await Promise.all([claimOneEach(processes), webhooks.remove(ref)]);
        assert.deepEqual(await claimOneEach(processes), []);
        assert.deepEqual(await deliveries.stats(), { pending: 0, oldestDueAgeMs: 0 });
      }
    },

    'claims no attempt after a webhook was disabled': async ({
      webhooks,
      deliveries,
      connections,
    }) => {
      const processes = await connections(PROCESSES);
      for (let round = 0; round < ROUNDS; round += 1) {
        const ref = await register(webhooks, `w${round}`);
        await publishOne(deliveries, `last ${round}`);
        const last = await claimSingle(deliveries);
        await publishRound(deliveries, round);
        const [during] = await Promise.all([
          claimOneEach(processes),
          completeAttempts(deliveries, [last], GONE),
        ]);
        assert.ok(during.length <= PROCESSES);
        assert.deepEqual(await claimOneEach(processes), []);
        const states = tally(
          (await listDeliveries(deliveries, ref)).map(({ state }) => ({ outcome: state })),
        );
        const { sending = 0, held = 0 } = states;
        assert.equal(sending, during.length);
        assert.equal(sending + held, 2 * PROCESSES);
        await webhooks.remove(ref);
      }
    },

    'claims attempts with the new URL once change() has returned': async ({
      webhooks,
      deliveries,
      connections,
    }) => {
      const processes = await connections(PROCESSES);
      const ref = await register(webhooks, 'w1');
      for (let round = 0; round < ROUNDS; round += 1) {
        const url = `https://receiver.example.com/${round}`;
        await publishRound(deliveries, round);
        const [during] = await Promise.all([
          claimOneEach(processes),
          webhooks.change(ref, { url }),
        ]);
        const after = await claimAll(deliveries);
        assert.equal(during.length + after.length, 2 * PROCESSES);
        assert.deepEqual(new Set(after.map(({ webhook }) => webhook.url)), new Set([url]));
        await completeAttempts(deliveries, [...during, ...after], DELIVERED);
      }
    },
  },
};

/** Publishes twice as many messages as {@link claimOneEach} claims. */
async function publishRound(deliveries: WebhookStores['deliveries'], round: number): Promise<void> {
  for (let i = 0; i < 2 * PROCESSES; i += 1) await publishOne(deliveries, `m${round}.${i}`);
}

/** Claims one attempt in each process, in parallel. */
async function claimOneEach(processes: readonly WebhookStores[]) {
  const results = await inParallel(PROCESSES, processes, ({ deliveries }) =>
    deliveries.claim({ ...CLAIM, limit: 1 }),
  );
  return results.flatMap(({ attempts }) => attempts);
}
