import assert from 'node:assert/strict';
import { inParallel } from '../../actions/in-parallel.ts';
import { tally } from '../../actions/outcomes.ts';
import { assertFound } from '../../actions/webhook-results.ts';
import { PROCESSES } from '../../fixtures/fixture.ts';
import {
  type WebhookConnection,
  type WebhookFixture,
  webhookSuite,
} from '../../fixtures/webhook-fixture.ts';
import { DELIVERED, GONE } from '../../samples/attempt-samples.ts';
import { ACCOUNT_ID, newMessage, newWebhook } from '../../samples/webhook-samples.ts';

const ROUNDS = 10;

export const webhookRaces = webhookSuite('webhooks: races between processes', {
  'creates no more than maxPerAccount webhooks under 50 parallel calls': async (t) => {
    const results = await t.inParallel(50, (connection, i) =>
      connection.webhooks.create(newWebhook(`w${i}`), { maxPerAccount: 5 }),
    );
    assert.deepEqual(tally(results), { created: 5, limit_reached: 45 });
    assert.equal((await t.webhooks.list(ACCOUNT_ID, { limit: 100, after: null })).length, 5);
  },

  'returns enabled to one of 20 parallel calls of enable()': async (t) => {
    const ref = await t.registerWithMessages(1);
    await t.complete([await t.claimSingle()], GONE);
    const results = await t.inParallel(20, async (connection) =>
      assertFound(await connection.webhooks.enable(ref)),
    );
    assert.deepEqual(tally(results), { enabled: 1, already_enabled: 19 });
  },

  'publishes one message under 100 parallel calls with the same id': async (t) => {
    const ref = await t.register('w1');
    const results = await t.inParallel(100, (connection) =>
      connection.deliveries.publish(newMessage('m1')),
    );
    assert.deepEqual(tally(results), { published: 1, duplicate: 99 });
    assert.equal((await t.list(ref)).length, 1);
    assert.equal((await t.claimAll()).length, 1);
  },

  'shows concurrent readers all deliveries of a message or none': async (t) => {
    for (let i = 0; i < 20; i += 1) await t.register(`w${i}`);
    const counts = await t.inParallel(160, async (connection, i) => {
      if (i % 4 === 0) await connection.publishOne(`m${i}`);
      return (await connection.deliveries.stats()).pending;
    });
    assert.deepEqual(
      counts.filter((count) => count % 20 !== 0),
      [],
    );
    assert.equal(Math.max(...counts), 40 * 20);
  },

  'leaves no delivery of a webhook that is removed while messages are published': async (t) => {
    await t.rounds(ROUNDS, async (round, processes) => {
      const ref = await t.register(`w${round}`);
      await Promise.all([
        inParallel(PROCESSES, processes, (storage, i) =>
          storage.deliveries.publish(newMessage(`m${round}.${i}`)),
        ),
        t.webhooks.remove(ref),
      ]);
      assert.deepEqual(await t.deliveries.stats(), { pending: 0, oldestDueAgeMs: 0 });
      await t.claimNothing();
      assert.equal(await t.deliveries.list(ref, { limit: 100, after: null }), null);
    });
  },

  'claims no attempt after remove() has returned': async (t) => {
    await t.rounds(ROUNDS, async (round, processes) => {
      const ref = await t.register(`w${round}`);
      await publishRound(t, round);
      await Promise.all([claimOneEach(processes), t.webhooks.remove(ref)]);
      assert.deepEqual(await claimOneEach(processes), []);
      assert.deepEqual(await t.deliveries.stats(), { pending: 0, oldestDueAgeMs: 0 });
    });
  },

  'claims no attempt after a webhook was disabled': async (t) => {
    await t.rounds(ROUNDS, async (round, processes) => {
      const ref = await t.register(`w${round}`);
      await t.publishOne(`last ${round}`);
      const last = await t.claimSingle();
      await publishRound(t, round);
      const [during] = await Promise.all([claimOneEach(processes), t.complete([last], GONE)]);
      assert.ok(during.length <= PROCESSES);
      assert.deepEqual(await claimOneEach(processes), []);
      const states = tally((await t.list(ref)).map(({ state }) => ({ outcome: state })));
      const { sending = 0, held = 0 } = states;
      assert.equal(sending, during.length);
      assert.equal(sending + held, 2 * PROCESSES);
      await t.webhooks.remove(ref);
    });
  },

  'claims attempts with the new URL once change() has returned': async (t) => {
    const ref = await t.register('w1');
    await t.rounds(ROUNDS, async (round, processes) => {
      const url = `https://receiver.example.com/${round}`;
      await publishRound(t, round);
      const [during] = await Promise.all([
        claimOneEach(processes),
        t.webhooks.change(ref, { url }),
      ]);
      const after = await t.claimAll();
      assert.equal(during.length + after.length, 2 * PROCESSES);
      assert.deepEqual(new Set(after.map(({ webhook }) => webhook.url)), new Set([url]));
      await t.complete([...during, ...after], DELIVERED);
    });
  },
});

/** Publishes twice as many messages as {@link claimOneEach} claims. */
async function publishRound(t: WebhookFixture, round: number): Promise<void> {
  for (let i = 0; i < 2 * PROCESSES; i += 1) await t.publishOne(`m${round}.${i}`);
}

/** Claims one attempt in each process, in parallel. */
async function claimOneEach(processes: readonly WebhookConnection[]) {
  const results = await inParallel(PROCESSES, processes, (connection) =>
    connection.claimOnce({ limit: 1 }),
  );
  return results.flatMap(({ attempts }) => attempts);
}
