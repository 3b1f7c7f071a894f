import type { Timers } from '@latchhook/core/delivery';
import type { DeliveryStore, Outbox, ScheduledDelivery, Verdict } from '@latchhook/core/storage';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeAttempt, start } from '../actions/make-attempt.ts';
import { publish, publishMany, queue } from '../actions/publish.ts';
import { register } from '../actions/register-webhook.ts';
import { startFakeReceiver } from '../receiver/start-fake-receiver.ts';
import {
  DELIVERED,
  deliveryTo,
  EXHAUSTED,
  finishing,
  newMessage,
  retryAfter,
  starting,
} from '../samples/webhook-samples.ts';
import { soundStores } from '../self-test/faulty-webhooks.ts';
import { turnableClock } from '../time/turnable-clock.ts';
import { virtualTime } from '../time/virtual-time.ts';
import { drained } from './drained.ts';
import { watchAttempts } from './watch-attempts.ts';

const HOUR_MS = 3_600_000;
/** The pauses of the schedule that deliveries follow, without jitter. */
const PAUSES_MS = [5_000, 300_000, ...[0.5, 2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS)];
const DEADLINE_MS = 15_000;

/** A minimal engine: asks when it is time, sends by `fetch`, gives up at a deadline. */
function send(
  scheduled: readonly ScheduledDelivery[],
  deliveries: DeliveryStore,
  timers: Timers,
): void {
  const later = (delivery: ScheduledDelivery, delayMs: number) =>
    void timers.after(delayMs, () => void run(delivery));

  async function run(delivery: ScheduledDelivery): Promise<void> {
    const answer = await deliveries.start(starting(delivery));
    if (answer.outcome === 'deferred') return later(delivery, answer.delayMs);
    if (answer.outcome !== 'started') return;
    const isGood = await sent(answer.webhook.url, answer.body);
    const pauseMs = PAUSES_MS[answer.triesBefore];
    const verdict: Verdict = isGood
      ? DELIVERED
      : pauseMs === undefined
        ? EXHAUSTED
        : retryAfter(pauseMs);
    await deliveries.finish(finishing(delivery, answer.attempt, verdict));
    if (verdict.kind === 'retry') later(delivery, verdict.delayMs);
  }

  async function sent(url: string, body: string): Promise<boolean> {
    const deadline = new AbortController();
    const callOff = timers.after(DEADLINE_MS, () => deadline.abort());
    const answer = fetch(url, { method: 'POST', body, signal: deadline.signal });
    return answer
      .then(
        (response) => response.ok,
        () => false,
      )
      .finally(callOff);
  }

  for (const delivery of scheduled) later(delivery, delivery.delayMs);
}

describe('attempts that are watched', () => {
  it('let virtual time run 75 hours of retries on a real socket', async () => {
    const time = virtualTime();
    const { clock, timers } = time;
    const receiver = await startFakeReceiver({ answers: ['reset', 'hang', 500], clock, timers });
    onTestFinished(() => receiver.close());
    const { webhooks, deliveries: unwatched } = soundStores(clock);
    const watched = watchAttempts(unwatched);
    time.standStillWhile(() => watched.unsettled() !== receiver.held());
    const { deliveries } = watched;

    await register(webhooks, 'w1', { url: receiver.url });
    const beganAtMs = clock.nowMs();
    send((await publish(deliveries, 'm1')).scheduled, deliveries, timers);
    await drained(deliveries, time);

    expect(receiver.received()).toHaveLength(PAUSES_MS.length + 1);
    const pausesMs = PAUSES_MS.reduce((sum, pause) => sum + pause, 0);
    const tookMs = clock.nowMs() - beganAtMs;
    expect(tookMs).toBeGreaterThanOrEqual(pausesMs + DEADLINE_MS);
    expect(tookMs).toBeLessThan(pausesMs + DEADLINE_MS + 100);
  });

  it('are in flight from their beginning to their end', async () => {
    const { webhooks, deliveries } = soundStores(turnableClock());
    const watched = watchAttempts(deliveries);
    const delivery = await queue(deliveries, await register(webhooks, 'w1'));
    const started = await start(watched.deliveries, delivery);
    expect([watched.inFlight(), watched.unsettled()]).toEqual([1, 1]);
    await watched.deliveries.finish(finishing(delivery, started.attempt, DELIVERED));
    expect([watched.inFlight(), watched.unsettled()]).toEqual([0, 0]);
  });

  it('are not in flight for ever if they were lost', async () => {
    const clock = turnableClock();
    const { webhooks, deliveries } = soundStores(clock);
    const watched = watchAttempts(deliveries);
    const delivery = await queue(deliveries, await register(webhooks, 'w1'));
    const limits = { leaseMs: 1000, maxLostAttempts: 1 };
    await start(watched.deliveries, delivery, limits);
    clock.advance(1000);
    const asked = await watched.deliveries.start(starting(delivery, limits));
    expect(asked.outcome).toBe('poisoned');
    expect(watched.unsettled()).toBe(0);
  });

  it('are not in flight once they were withdrawn, and wait for their turn', async () => {
    const clock = turnableClock();
    const { webhooks, deliveries } = soundStores(clock);
    const watched = watchAttempts(deliveries);
    const ref = await register(webhooks, 'w1', { rateLimit: 1 });
    await publishMany(deliveries, 2);
    const late = await start(watched.deliveries, deliveryTo(ref, 'm1'));
    clock.advance(2_000);
    await start(deliveries, deliveryTo(ref, 'm2'));
    const instead = { withdrawnStartAtMs: late.startedAtMs };
    const asked = await watched.deliveries.start(starting(deliveryTo(ref, 'm1'), instead));
    expect(asked).toMatchObject({ outcome: 'deferred', reason: 'rate' });
    expect(watched.unsettled()).toBe(0);
  });

  it('are in flight whatever is asked of their delivery meanwhile', async () => {
    const { webhooks, deliveries } = soundStores(turnableClock());
    const watched = watchAttempts(deliveries);
    const delivery = await queue(deliveries, await register(webhooks, 'w1'));
    await makeAttempt(watched.deliveries, delivery, DELIVERED);
    await watched.deliveries.resend(delivery);
    const again = { ...delivery, run: 2 };
    await start(watched.deliveries, again);
    const asked = await watched.deliveries.start(starting(again));
    expect(asked).toMatchObject({ outcome: 'deferred', reason: 'sending' });
    expect(watched.inFlight()).toBe(1);
    // An engine may still remember the first run, and know nothing of the second.
    expect(await watched.deliveries.start(starting(delivery))).toEqual({ outcome: 'over' });
    expect(watched.inFlight()).toBe(1);
  });

  it('are waited for together with every call that a store has not answered', async () => {
    const { deliveries } = soundStores(turnableClock());
    let answer = (_count: number) => {};
    const countPending = () =>
      new Promise<number>((resolve) => {
        answer = resolve;
      });
    const watched = watchAttempts({ ...deliveries, countPending });
    const counted = watched.deliveries.countPending();
    expect(watched.unsettled()).toBe(1);
    answer(0);
    expect(await counted).toBe(0);
    expect(watched.unsettled()).toBe(0);
  });

  it('are waited for together with every call of an outbox, if the store has one', async () => {
    const { deliveries } = soundStores(turnableClock());
    expect(watchAttempts(deliveries).deliveries.outbox).toBeUndefined();
    const written = { outcome: 'published', messageId: 'm1', deliveries: 1 } as const;
    const nothing = { taken: [], more: false };
    const unwatch = async () => {};
    const outbox: Outbox = {
      publishWithin: async () => written,
      takeCommitted: async () => nothing,
      countPending: async () => 3,
      lagMs: async () => 5,
      watch: () => unwatch,
    };
    const watched = watchAttempts({ ...deliveries, outbox });
    const tx = { query: () => Promise.reject(new Error('nothing is written')) };
    const calls = [
      watched.deliveries.outbox?.publishWithin(tx, newMessage('m1')),
      watched.deliveries.outbox?.takeCommitted({ limit: 1 }),
      watched.deliveries.outbox?.countPending({ limit: 1 }),
      watched.deliveries.outbox?.lagMs(),
    ];
    expect(watched.unsettled()).toBe(4);
    expect(await Promise.all(calls)).toEqual([written, nothing, 3, 5]);
    expect(watched.unsettled()).toBe(0);
    expect(watched.deliveries.outbox?.watch(() => {})).toBe(unwatch);
    expect(watched.unsettled()).toBe(0);
  });
});
