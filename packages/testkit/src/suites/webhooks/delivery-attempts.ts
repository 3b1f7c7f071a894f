import assert from 'node:assert/strict';
import { assertState, recordOf } from '../../actions/delivery-records.ts';
import { deferralOf, finish, makeAttempt, start } from '../../actions/make-attempt.ts';
import { queue } from '../../actions/publish.ts';
import { register } from '../../actions/register-webhook.ts';
import {
  ACCOUNT_ID,
  answered,
  DELIVERED,
  EXHAUSTED,
  excusedFor,
  finishing,
  newMessage,
  retryAfter,
  starting,
} from '../../samples/webhook-samples.ts';
import type { Suite } from '../../suite.ts';
import type { WebhookTrial } from '../../trials/webhook-trial.ts';

export const deliveryAttempts: Suite<WebhookTrial> = {
  name: 'deliveries: attempts',
  claims: {
    'answer the body to the byte, the URL and the secrets': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const { url, secrets, ...ref } = await register(webhooks, 'w1');
      const delivery = await queue(deliveries, ref, 'm1');
      clock.advance(1000);
      assert.deepEqual(await start(deliveries, delivery), {
        outcome: 'started',
        attempt: 1,
        triesBefore: 0,
        startedAtMs: clock.nowMs(),
        body: newMessage('m1').body,
        webhook: { url, secrets },
        next: null,
      });
      await assertState(deliveries, delivery, 'sending');
    },

    'go to the present URL of the webhook': async ({ webhooks, deliveries }) => {
      const ref = await register(webhooks, 'w1');
      const delivery = await queue(deliveries, ref);
      const url = 'https://receiver.example.com/moved';
      await webhooks.change(ref, { url });
      assert.equal((await start(deliveries, delivery)).webhook.url, url);
    },

    'are logged with their results, oldest first': async ({ webhooks, deliveries, clock }) => {
      const delivery = await queue(deliveries, await register(webhooks, 'w1'));
      const results = [
        { status: null, durationMs: 15_000, error: 'timeout', response: null },
        { ...answered(503), response: `"ünï \u{1F512}"\u0000${'x'.repeat(4_080)}` },
        { status: 204, durationMs: 0, error: null, response: '' },
      ];
      const log: unknown[] = [];
      for (const [nth, result] of results.entries()) {
        const { startedAtMs } = await start(deliveries, delivery);
        log.push({ ...result, attempt: nth + 1, startedAtMs });
        clock.advance(result.durationMs);
        const verdict = nth === 2 ? DELIVERED : retryAfter(500);
        await finish(deliveries, delivery, { attempt: nth + 1 }, verdict, { result });
        clock.advance(500);
        assert.deepEqual((await recordOf(deliveries, delivery)).attempts, log);
      }
    },

    'count the tries that failed, and none that is excused': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const delivery = await queue(deliveries, await register(webhooks, 'w1'));
      const counts: [number, number][] = [];
      for (const verdict of [excusedFor(10), retryAfter(10), excusedFor(10), retryAfter(10)]) {
        const started = await start(deliveries, delivery);
        counts.push([started.attempt, started.triesBefore]);
        await finish(deliveries, delivery, started, verdict);
        clock.advance(10);
      }
      const last = await start(deliveries, delivery);
      counts.push([last.attempt, last.triesBefore]);
      assert.deepEqual(counts, [
        [1, 0],
        [2, 0],
        [3, 1],
        [4, 1],
        [5, 2],
      ]);
    },

    'wait as long as the verdict says, to the millisecond': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const delivery = await queue(deliveries, await register(webhooks, 'w1'));
      for (const verdict of [retryAfter(5000), excusedFor(700)]) {
        const delayMs = 'delayMs' in verdict ? verdict.delayMs : 0;
        assert.deepEqual(await makeAttempt(deliveries, delivery, verdict), {
          outcome: 'finished',
          state: 'waiting',
          disabled: null,
          next: null,
        });
        const { state, nextAttemptAtMs } = await recordOf(deliveries, delivery);
        assert.deepEqual([state, nextAttemptAtMs], ['waiting', clock.nowMs() + delayMs]);
        clock.advance(delayMs - 1);
        assert.deepEqual(deferralOf(await deliveries.start(starting(delivery))), {
          outcome: 'deferred',
          delayMs: 1,
          reason: 'schedule',
          next: null,
        });
        clock.advance(1);
      }
      await start(deliveries, delivery);
    },

    'end a delivery for good, as delivered or dead': async ({ webhooks, deliveries }) => {
      const ref = await register(webhooks, 'w1');
      for (const [id, verdict] of Object.entries({ delivered: DELIVERED, dead: EXHAUSTED })) {
        const delivery = await queue(deliveries, ref, id);
        const answer = await makeAttempt(deliveries, delivery, verdict);
        assert.deepEqual(answer, { outcome: 'finished', state: id, disabled: null, next: null });
        const { state, deadReason, nextAttemptAtMs } = await recordOf(deliveries, delivery);
        assert.deepEqual(
          { state, deadReason, nextAttemptAtMs },
          { state: id, deadReason: id === 'dead' ? 'exhausted' : null, nextAttemptAtMs: null },
        );
        assert.deepEqual(await deliveries.start(starting(delivery)), { outcome: 'over' });
      }
      assert.equal(await deliveries.countPending(), 0);
    },

    'end once': async ({ webhooks, deliveries }) => {
      const delivery = await queue(deliveries, await register(webhooks, 'w1'));
      const request = finishing(delivery, 1, retryAfter(0));
      await start(deliveries, delivery);
      assert.equal((await deliveries.finish(request)).outcome, 'finished');
      const record = await recordOf(deliveries, delivery);
      for (const verdict of [retryAfter(0), DELIVERED, EXHAUSTED]) {
        assert.deepEqual(await deliveries.finish({ ...request, verdict }), { outcome: 'stale' });
      }
      assert.deepEqual(await deliveries.find(delivery), record);
    },

    'are ended only by the process that made them': async ({ webhooks, deliveries }) => {
      const ref = await register(webhooks, 'w1');
      const delivery = await queue(deliveries, ref);
      const queued = await queue(deliveries, ref, 'm2');
      await makeAttempt(deliveries, delivery, retryAfter(0));
      await start(deliveries, delivery);
      const strangers = [
        finishing(delivery, 1, DELIVERED),
        finishing(delivery, 3, DELIVERED),
        finishing(queued, 1, DELIVERED),
        finishing({ ...delivery, accountId: ACCOUNT_ID + 1 }, 2, DELIVERED),
        finishing({ ...delivery, webhookId: 'w2' }, 2, DELIVERED),
        finishing({ ...delivery, deliveryId: 'm3' }, 2, DELIVERED),
      ];
      for (const request of strangers) {
        assert.deepEqual(await deliveries.finish(request), { outcome: 'stale' });
      }
      await assertState(deliveries, delivery, 'sending');
      await assertState(deliveries, queued, 'queued');
      await finish(deliveries, delivery, { attempt: 2 }, DELIVERED);
    },

    'do not begin for an unpublished message': async ({ webhooks, deliveries }) => {
      const ref = await register(webhooks, 'w1');
      const asked = await deliveries.start(starting({ ...ref, deliveryId: 'm1' }));
      assert.deepEqual(asked, { outcome: 'over' });
    },
  },
};
