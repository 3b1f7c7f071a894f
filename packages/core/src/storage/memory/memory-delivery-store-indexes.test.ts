import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ListedDelivery } from '../delivery-record.ts';
import type { Verdict } from '../delivery-requests.ts';
import { type DeliveryScene, ref, setUp } from './delivery-scene.test.support.ts';
import type { RankedSequence } from './ranked-sequence.ts';
import type { StoredDelivery } from './stored-delivery.ts';
import type { StoredWebhook } from './stored-webhook.ts';
import type { Timed, TimeHeap } from './time-heap.ts';

const other = { ...ref, webhookId: 'wh_2' };
const PENDING = new Set(['queued', 'sending', 'waiting']);
const MAX_DELIVERED = 3;

function membersOf(line: RankedSequence<StoredDelivery>): StoredDelivery[] {
  return Array.from({ length: line.size }, (_, rank) => line.at(rank) ?? []).flat();
}

function deliveriesIn<T extends Timed & { delivery: StoredDelivery }>(heap: TimeHeap<T>) {
  const members = heap.until(Number.POSITIVE_INFINITY, 100, () => true);
  return members.map(({ delivery }) => delivery);
}

function idOf({ message }: StoredDelivery): string {
  return message.messageId;
}

async function expectInStep(app: DeliveryScene): Promise<void> {
  // Asked first: every call begins by forgetting what has expired.
  const counted = await app.deliveries.countPending();
  const pending = deliveriesIn(app.states.due);
  expect(counted).toBe(pending.length);
  let found = 0;
  for (const webhook of app.states.allWebhooks()) {
    const own = pending.filter((delivery) => delivery.webhook === webhook);
    await expectLinesInStep(app, webhook, own);
    found += own.length;
  }
  // None of a webhook that is gone.
  expect(found).toBe(pending.length);
  const logged = [...app.states.allWebhooks()].flatMap(({ log }) => [...log.values()]);
  const delivered = logged.filter(({ state }) => state === 'delivered');
  expect(delivered.length).toBeLessThanOrEqual(MAX_DELIVERED);
  expect(app.states.delivered.size).toBe(delivered.length);
  expect(delivered.filter(({ linePlace }) => linePlace === null)).toEqual([]);
}

async function expectLinesInStep(
  app: DeliveryScene,
  webhook: StoredWebhook,
  pending: readonly StoredDelivery[],
): Promise<void> {
  const records = await app.deliveries.list(webhook.record, { limit: 100, after: null });
  if (records === null) throw new Error('The webhook is gone.');
  const ids = (...states: string[]) =>
    records
      .filter(({ state }) => states.includes(state))
      .map(({ deliveryId }) => deliveryId)
      .reverse();
  const { queued, held, dead } = webhook.byState;
  expect(membersOf(queued).map(idOf)).toEqual(ids('queued'));
  expect(membersOf(held).map(idOf)).toEqual(ids('held'));
  expect(membersOf(dead).map(idOf)).toEqual(ids('dead'));
  const retries = membersOf(webhook.retries);
  expect(retries.filter(({ state }) => state !== 'waiting')).toEqual([]);
  const inFlight = deliveriesIn(webhook.leases);
  expect(inFlight.filter(({ state }) => state !== 'sending')).toEqual([]);
  expect(pending.map(idOf).sort()).toEqual(ids(...PENDING).sort());
  for (const record of records) expectWhole(record);
}

function expectWhole({ state, deadReason, nextAttemptAtMs }: ListedDelivery): void {
  expect(deadReason === null).toBe(state !== 'dead');
  expect(nextAttemptAtMs !== null).toBe(state === 'queued' || state === 'waiting');
}

describe('MemoryDeliveryStore', () => {
  it('keeps every index in step with where the deliveries stand, whatever happens', async () => {
    const verdicts: Verdict[] = [
      { kind: 'delivered' },
      { kind: 'retry', delayMs: 700 },
      { kind: 'excused', delayMs: 0 },
      { kind: 'dead', reason: 'exhausted' },
      { kind: 'dead', reason: 'gone' },
    ];
    const step = fc.record({
      what: fc.constantFrom(
        ...(['publish', 'publish', 'start', 'start', 'start', 'finish', 'finish'] as const),
        ...(['resend', 'recover', 'enable', 'release', 'reschedule', 'change', 'pause'] as const),
        ...(['overdue', 'overdue', 'withdraw', 'withdraw', 'remove'] as const),
      ),
      nth: fc.nat({ max: 14 }),
      verdict: fc.constantFrom(...verdicts),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), async (steps) => {
        const app = await setUp({}, MAX_DELIVERED);
        const { deliveries, webhooks } = app;
        for (const { what, nth, verdict } of steps) {
          const deliveryId = `msg_${nth}`;
          const found = await deliveries.find({ ...ref, deliveryId });
          // Some expire before the end.
          if (what === 'publish') await app.publish(deliveryId, { retentionMs: 15_000 });
          if (what === 'start') await app.start(deliveryId, { maxInFlight: 3 });
          if (what === 'withdraw') {
            const withdrawnStartAtMs = app.time.nowMs;
            await app.start(deliveryId, { maxInFlight: 3, withdrawnStartAtMs });
          }
          if (what === 'remove' && !(await webhooks.remove(other))) await app.create(other);
          if (what === 'finish') {
            const attempt = app.states.delivery({ ...ref, deliveryId })?.attempt ?? 0;
            await app.finish(deliveryId, attempt, verdict);
          }
          if (what === 'resend') await deliveries.resend({ ...ref, deliveryId });
          if (what === 'recover') {
            const sinceMs = found?.createdAtMs ?? 0;
            await deliveries.recover(ref, { sinceMs, limit: 1 + nth });
          }
          if (what === 'enable') await webhooks.enable(ref);
          if (what === 'release') await deliveries.release(ref, { limit: 1 + nth });
          if (what === 'reschedule') {
            const line = nth % 2 === 0 ? 'retries' : 'first_tries';
            const after = found && ({ line, sequence: found.sequence } as const);
            await deliveries.reschedule(ref, {
              rateMarginMs: 0,
              maxInFlight: Math.max(1, nth),
              leaseMs: 1_000,
              limit: 1 + nth,
              after,
            });
          }
          if (what === 'overdue') {
            await deliveries.overdue({ graceMs: 0, limit: 1 + nth, putOffMs: 500 });
          }
          if (what === 'change') await webhooks.change(ref, { rateLimit: 1 + nth });
          if (what === 'pause') app.advance(nth * nth * 100);
          // An engine learns of new runs from the calls above; here, they are read from the store.
          for (const { message, run } of app.states.webhook(ref)?.log.values() ?? []) {
            app.runs.set(message.messageId, run);
          }
          await expectInStep(app);
        }
      }),
      { seed: 1, numRuns: 60 },
    );
  });
});
