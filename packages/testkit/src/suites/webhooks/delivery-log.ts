import assert from 'node:assert/strict';
import {
  ATTEMPTS_KEPT,
  type AttemptRecord,
  type ListedDelivery,
  MAX_RESPONSE_BYTES,
  RESPONSES_KEPT,
} from '@latchhook/core/storage';
import { asListed, idsOf, recordOf } from '../../actions/delivery-records.ts';
import { finish, makeAttempt, start } from '../../actions/make-attempt.ts';
import { publishAroundForgotten, queue } from '../../actions/publish.ts';
import { register } from '../../actions/register-webhook.ts';
import {
  answered,
  EXHAUSTED,
  excusedFor,
  POLICY,
  starting,
} from '../../samples/webhook-samples.ts';
import type { Suite } from '../../suite.ts';
import type { WebhookTrial } from '../../trials/webhook-trial.ts';

/** What receivers may answer. The log must tell them apart. */
const RESPONSES = [
  'no',
  'ünï \u{1F512}',
  '',
  null,
  'x'.repeat(MAX_RESPONSE_BYTES),
  '{"error":"\\u0000"}',
  'null',
];

/** The result of the attempt with this number. */
function resultOf(nth: number) {
  return { ...answered(500), response: RESPONSES[nth % RESPONSES.length] ?? null };
}

/** What a store keeps of all attempts. */
function keptOf(attempts: readonly AttemptRecord[]): readonly AttemptRecord[] {
  const forgotten = attempts.length - RESPONSES_KEPT;
  return attempts
    .map((record, index) => (index < forgotten ? { ...record, response: null } : record))
    .slice(-ATTEMPTS_KEPT);
}

export const deliveryLog: Suite<WebhookTrial> = {
  name: 'deliveries: the log',
  claims: {
    'keeps the newest attempts, and the answers to fewer of them': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const delivery = await queue(deliveries, await register(webhooks, 'w1'));
      const all: AttemptRecord[] = [];
      for (let nth = 1; nth <= ATTEMPTS_KEPT + RESPONSES_KEPT + 1; nth += 1) {
        const { startedAtMs } = await start(deliveries, delivery);
        assert.deepEqual((await recordOf(deliveries, delivery)).attempts, keptOf(all));
        const result = resultOf(nth);
        await finish(deliveries, delivery, { attempt: nth }, excusedFor(1), { result });
        all.push({ attempt: nth, startedAtMs, ...result });
        assert.deepEqual((await recordOf(deliveries, delivery)).attempts, keptOf(all));
        clock.advance(1);
      }
    },

    'also makes room for an attempt that is lost': async ({ webhooks, deliveries, clock }) => {
      const delivery = await queue(deliveries, await register(webhooks, 'w1'));
      const all: AttemptRecord[] = [];
      for (let nth = 1; nth <= RESPONSES_KEPT; nth += 1) {
        const { startedAtMs } = await start(deliveries, delivery);
        const result = { ...answered(500), response: `${nth}` };
        await finish(deliveries, delivery, { attempt: nth }, excusedFor(0), { result });
        all.push({ attempt: nth, startedAtMs, ...result });
      }
      const { startedAtMs } = await start(deliveries, delivery);
      assert.deepEqual((await recordOf(deliveries, delivery)).attempts, all);
      clock.advance(POLICY.leaseMs);
      await deliveries.start(starting(delivery));
      const lost = { status: null, durationMs: POLICY.leaseMs, error: 'lost', response: null };
      all.push({ attempt: all.length + 1, startedAtMs, ...lost });
      assert.deepEqual((await recordOf(deliveries, delivery)).attempts, keptOf(all));
    },

    'continues if a delivery is sent again': async ({ webhooks, deliveries }) => {
      const delivery = await queue(deliveries, await register(webhooks, 'w1'));
      await makeAttempt(deliveries, delivery, EXHAUSTED);
      const again = await deliveries.resend(delivery);
      assert.equal(again.outcome, 'scheduled');
      await makeAttempt(deliveries, { ...delivery, run: 2 }, EXHAUSTED);
      const { attempts } = await recordOf(deliveries, delivery);
      assert.deepEqual(
        attempts.map(({ attempt: nth, response }) => [nth, response]),
        [
          [1, 'answer 500'],
          [2, 'answer 500'],
        ],
      );
    },

    'is listed without the answers to attempts': async ({ webhooks, deliveries }) => {
      const ref = await register(webhooks, 'w1');
      for (const id of ['m1', 'm2']) {
        const delivery = await queue(deliveries, ref, id);
        for (let nth = 1; nth <= RESPONSES.length; nth += 1) {
          const started = await start(deliveries, delivery);
          await finish(deliveries, delivery, started, excusedFor(0), { result: resultOf(nth) });
        }
      }
      const listed = await deliveries.list(ref, { limit: 10, after: null });
      const records = [];
      for (const each of listed ?? []) records.push(await recordOf(deliveries, each));
      assert.equal(records[0]?.attempts.length, RESPONSES.length);
      assert.deepEqual(listed, records.map(asListed));
    },

    'is listed in full pages except the last, even if much in between is forgotten': async ({
      webhooks,
      deliveries,
      clock,
    }) => {
      const ref = await register(webhooks, 'w1');
      const kept = await publishAroundForgotten(deliveries, clock);
      const limit = 2;
      const listed: ListedDelivery[] = [];
      for (let isLast = false; !isLast; ) {
        const page = await deliveries.list(ref, { limit, after: listed.at(-1)?.sequence ?? null });
        assert.ok(page !== null);
        listed.push(...page);
        isLast = page.length < limit;
      }
      assert.deepEqual(idsOf(listed), kept.toReversed());
    },
  },
};
