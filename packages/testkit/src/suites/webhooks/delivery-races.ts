import assert from 'node:assert/strict';
import type { StartOutcome, StartRequest } from '@latchhook/core/storage';
import { recordOf } from '../../actions/delivery-records.ts';
import { inParallel } from '../../actions/in-parallel.ts';
import { giveUp, makeAttempt, start } from '../../actions/make-attempt.ts';
import { tally } from '../../actions/outcomes.ts';
import { publishMany, queue } from '../../actions/publish.ts';
import { found, register } from '../../actions/register-webhook.ts';
import { DELIVERED, finishing, retryAfter, starting } from '../../samples/webhook-samples.ts';
import type { Suite } from '../../suite.ts';
import type { WebhookTrial } from '../../trials/webhook-trial.ts';

const PROCESSES = 8;
const GRACE_MS = 60_000;

export const deliveryRaces: Suite<WebhookTrial> = {
  name: 'deliveries: races between processes',
  claims: {
    'one of 100 parallel starts of one delivery begins an attempt': async ({
      webhooks,
      deliveries,
      connections,
    }) => {
      const delivery = await queue(deliveries, await register(webhooks, 'w1'));
      const answers = await startInParallel(starting(delivery), connections);
      assert.deepEqual(tally(answers), { started: 1, deferred: 99 });
      for (const answer of answers) {
        if (answer.outcome === 'deferred') assert.equal(answer.reason, 'sending');
      }
    },

    'one of 100 parallel starts follows an attempt that was lost': async ({
      webhooks,
      deliveries,
      connections,
      clock,
    }) => {
      const delivery = await queue(deliveries, await register(webhooks, 'w1'));
      const { leaseMs } = starting(delivery);
      await start(deliveries, delivery);
      clock.advance(leaseMs);
      const answers = await startInParallel(starting(delivery), connections);
      assert.deepEqual(tally(answers), { started: 1, deferred: 99 });
      assert.equal((await recordOf(deliveries, delivery)).attempts.length, 1);
    },

    'one of 100 parallel starts replaces an attempt that is withdrawn': async ({
      webhooks,
      deliveries,
      connections,
      clock,
    }) => {
      const delivery = await queue(deliveries, await register(webhooks, 'w1'));
      const { startedAtMs } = await start(deliveries, delivery);
      clock.advance(1);
      const request = starting(delivery, { withdrawnStartAtMs: startedAtMs });
      const answers = await startInParallel(request, connections);
      assert.deepEqual(tally(answers), { started: 1, deferred: 99 });
    },

    'no more than maxInFlight attempts are in flight, however many ask': async ({
      webhooks,
      deliveries,
      connections,
    }) => {
      await register(webhooks, 'w1');
      const scheduled = await publishMany(deliveries, 60);
      const answers = await inParallel(60, await connections(PROCESSES), (storage, nth) => {
        const delivery = scheduled[nth] ?? assert.fail('nothing was published');
        return storage.deliveries.start(starting(delivery, { maxInFlight: 7 }));
      });
      assert.deepEqual(tally(answers), { started: 7, deferred: 53 });
    },

    'no more retries start than the rate allows, however many ask': async ({
      webhooks,
      deliveries,
      connections,
    }) => {
      const ref = await register(webhooks, 'w1');
      const scheduled = await publishMany(deliveries, 40);
      for (const delivery of scheduled) await makeAttempt(deliveries, delivery, retryAfter(0));
      await webhooks.change(ref, { rateLimit: 47 });
      const answers = await inParallel(40, await connections(PROCESSES), (storage, nth) => {
        const delivery = scheduled[nth] ?? assert.fail('nothing was published');
        return storage.deliveries.start(starting(delivery));
      });
      assert.deepEqual(tally(answers), { started: 7, deferred: 33 });
    },

    'one of 50 parallel ends of an attempt ends it': async ({
      webhooks,
      deliveries,
      connections,
    }) => {
      const delivery = await queue(deliveries, await register(webhooks, 'w1'));
      await start(deliveries, delivery);
      const answers = await inParallel(50, await connections(PROCESSES), (storage, nth) =>
        storage.deliveries.finish(finishing(delivery, 1, nth % 2 ? DELIVERED : retryAfter(0))),
      );
      assert.deepEqual(tally(answers), { finished: 1, stale: 49 });
      assert.equal((await recordOf(deliveries, delivery)).attempts.length, 1);
    },

    'one of 50 parallel resends begins another run': async ({
      webhooks,
      deliveries,
      connections,
    }) => {
      const delivery = await giveUp(deliveries, await register(webhooks, 'w1'), 'm1');
      const answers = await inParallel(50, await connections(PROCESSES), (storage) =>
        storage.deliveries.resend(delivery),
      );
      assert.deepEqual(tally(answers), { scheduled: 1, under_way: 49 });
    },

    'a delivery recovered in parallel is returned to one call only': async ({
      webhooks,
      deliveries,
      connections,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      const sinceMs = clock.nowMs();
      for (let nth = 0; nth < 20; nth += 1) await giveUp(deliveries, ref, `m${nth}`);
      const batches = await inParallel(PROCESSES, await connections(PROCESSES), (storage) =>
        storage.deliveries.recover(ref, { sinceMs, limit: 5 }),
      );
      const recovered = batches.flatMap((batch) => found(batch).scheduled);
      assert.equal(recovered.length, 20);
      assert.equal(new Set(recovered.map(({ deliveryId }) => deliveryId)).size, 20);
    },

    'an overdue delivery is returned to one of several parallel calls': async ({
      webhooks,
      deliveries,
      connections,
      clock,
    }) => {
      for (const id of ['w1', 'w2']) await register(webhooks, id);
      await publishMany(deliveries, 20);
      clock.advance(GRACE_MS + 1);
      const request = { graceMs: GRACE_MS, limit: 5, putOffMs: 1000 };
      const pages = await inParallel(2 * PROCESSES, await connections(PROCESSES), (storage) =>
        storage.deliveries.overdue(request),
      );
      const returned = [...pages.flat(), ...(await deliveries.overdue({ ...request, limit: 40 }))];
      const names = returned.map(({ webhookId, deliveryId }) => `${webhookId} ${deliveryId}`);
      assert.equal(names.length, 40);
      assert.equal(new Set(names).size, 40);
    },
  },
};

/** Starts the same delivery a hundred times at once, from all processes. */
async function startInParallel(
  request: StartRequest,
  connections: WebhookTrial['connections'],
): Promise<readonly StartOutcome[]> {
  return inParallel(100, await connections(PROCESSES), ({ deliveries }) =>
    deliveries.start(request),
  );
}
