import assert from 'node:assert/strict';
import { inParallel } from '../../actions/in-parallel.ts';
import { disable, finish, start } from '../../actions/make-attempt.ts';
import { tally } from '../../actions/outcomes.ts';
import { publish, queue } from '../../actions/publish.ts';
import { register } from '../../actions/register-webhook.ts';
import {
  ACCOUNT_ID,
  DELIVERED,
  deliveryTo,
  GONE,
  newMessage,
  newWebhook,
  starting,
} from '../../samples/webhook-samples.ts';
import type { Suite } from '../../suite.ts';
import type { WebhookTrial } from '../../trials/webhook-trial.ts';

const PROCESSES = 8;
/** Several, since a defect may show only in some rounds of a race. */
const ROUNDS = 10;

export const webhookRaces: Suite<WebhookTrial> = {
  name: 'webhooks: races between processes',
  claims: {
    'an account gets no more webhooks than allowed by asking in parallel': async ({
      webhooks,
      connections,
    }) => {
      const answers = await inParallel(50, await connections(PROCESSES), (storage, nth) =>
        storage.webhooks.create(newWebhook(`w${nth}`), { maxPerAccount: 5 }),
      );
      assert.deepEqual(tally(answers), { created: 5, limit_reached: 45 });
      assert.equal((await webhooks.list(ACCOUNT_ID, { limit: 100, after: null })).length, 5);
    },

    'one of 20 parallel calls enables the webhook': async ({
      webhooks,
      deliveries,
      connections,
    }) => {
      const ref = await register(webhooks, 'w1');
      await disable(deliveries, ref);
      const answers = await inParallel(20, await connections(PROCESSES), async (storage) => {
        const enabled = await storage.webhooks.enable(ref);
        return enabled ?? assert.fail('it is gone');
      });
      assert.deepEqual(tally(answers), { enabled: 1, was_enabled: 19 });
    },

    '100 parallel publishes under one key make one message': async ({
      webhooks,
      deliveries,
      connections,
    }) => {
      const ref = await register(webhooks, 'w1');
      const answers = await inParallel(100, await connections(PROCESSES), (storage, nth) =>
        storage.deliveries.publish(newMessage(`m${nth}`, { idempotencyKey: 'order 17' })),
      );
      assert.deepEqual(tally(answers), { published: 1, duplicate: 99 });
      assert.equal(
        new Set(answers.map((answer) => 'messageId' in answer && answer.messageId)).size,
        1,
      );
      assert.equal((await deliveries.list(ref, { limit: 100, after: null }))?.length, 1);
    },

    '100 parallel publishes of one message id make one message': async ({
      webhooks,
      deliveries,
      connections,
    }) => {
      await register(webhooks, 'w1');
      const answers = await inParallel(100, await connections(PROCESSES), (storage) =>
        storage.deliveries.publish(newMessage('m1')),
      );
      assert.deepEqual(tally(answers), { published: 1, duplicate: 99 });
      assert.equal(await deliveries.countPending(), 1);
    },

    'a message is seen with all of its deliveries, or with none': async ({
      webhooks,
      connections,
    }) => {
      for (let nth = 0; nth < 20; nth += 1) await register(webhooks, `w${nth}`);
      const seen = await inParallel(160, await connections(PROCESSES), async (storage, nth) => {
        if (nth % 4 === 0) await publish(storage.deliveries, `m${nth}`);
        return storage.deliveries.countPending();
      });
      assert.deepEqual(
        seen.filter((count) => count % 20 !== 0),
        [],
      );
      assert.equal(Math.max(...seen), 40 * 20);
    },

    'a message goes to a webhook that is being removed whole, or not at all': async ({
      webhooks,
      deliveries,
      connections,
    }) => {
      const processes = await connections(PROCESSES);
      for (let round = 0; round < ROUNDS; round += 1) {
        const ref = await register(webhooks, `w${round}`);
        await Promise.all([
          inParallel(PROCESSES, processes, (storage, nth) =>
            storage.deliveries.publish(newMessage(`m${round}.${nth}`)),
          ),
          webhooks.remove(ref),
        ]);
        assert.equal(await deliveries.countPending(), 0);
        assert.equal(await deliveries.list(ref, { limit: 100, after: null }), null);
      }
    },

    'no attempt begins after a webhook was removed': async ({
      webhooks,
      deliveries,
      connections,
    }) => {
      const processes = await connections(PROCESSES);
      for (let round = 0; round < ROUNDS; round += 1) {
        const ref = await register(webhooks, `w${round}`);
        const ids = Array.from({ length: PROCESSES }, (_, nth) => `m${round}.${nth}`);
        for (const id of ids) await queue(deliveries, ref, id);
        const startEach = () =>
          inParallel(PROCESSES, processes, (storage, nth) =>
            storage.deliveries.start(starting(deliveryTo(ref, ids[nth] ?? ''))),
          );
        await Promise.all([startEach(), webhooks.remove(ref)]);
        const late = await startEach();
        assert.deepEqual(tally(late), { over: PROCESSES });
        assert.equal(await deliveries.countPending(), 0);
      }
    },

    'every attempt follows a change that was answered before it began': async ({
      webhooks,
      deliveries,
      connections,
    }) => {
      const processes = await connections(PROCESSES);
      const ref = await register(webhooks, 'w1');
      for (let round = 0; round < ROUNDS; round += 1) {
        const url = `https://receiver.example.com/${round}`;
        const ids = Array.from({ length: 2 * PROCESSES }, (_, nth) => `m${round}.${nth}`);
        for (const id of ids) await queue(deliveries, ref, id);
        const startEach = (some: readonly string[]) =>
          inParallel(some.length, processes, (storage, nth) =>
            start(storage.deliveries, deliveryTo(ref, some[nth] ?? '')),
          );
        await Promise.all([startEach(ids.slice(PROCESSES)), webhooks.change(ref, { url })]);
        const after = await startEach(ids.slice(0, PROCESSES));
        assert.deepEqual(new Set(after.map(({ webhook }) => webhook.url)), new Set([url]));
        for (const id of ids) {
          await finish(deliveries, deliveryTo(ref, id), { attempt: 1 }, DELIVERED);
        }
      }
    },

    'no attempt begins after a webhook was disabled': async ({
      webhooks,
      deliveries,
      connections,
    }) => {
      const processes = await connections(PROCESSES);
      for (let round = 0; round < ROUNDS; round += 1) {
        const ref = await register(webhooks, `w${round}`);
        const last = await queue(deliveries, ref, `last ${round}`);
        await start(deliveries, last);
        const ids = Array.from({ length: 2 * PROCESSES }, (_, nth) => `m${round}.${nth}`);
        for (const id of ids) await queue(deliveries, ref, id);
        const startEach = (some: readonly string[]) =>
          inParallel(some.length, processes, (storage, nth) =>
            storage.deliveries.start(starting(deliveryTo(ref, some[nth] ?? ''))),
          );
        const [during] = await Promise.all([
          startEach(ids.slice(0, PROCESSES)),
          finish(deliveries, last, { attempt: 1 }, GONE),
        ]);
        const { started = 0, held = 0 } = tally(during);
        assert.equal(started + held, PROCESSES);
        assert.deepEqual(tally(await startEach(ids.slice(PROCESSES))), { held: PROCESSES });
      }
    },
  },
};
