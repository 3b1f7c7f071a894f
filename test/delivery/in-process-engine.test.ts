import { inProcessDelivery } from '@latchhook/delivery';
import {
  drained,
  type ReceiverScript,
  startFakeReceiver,
  virtualTime,
  watchAttempts,
} from '@latchhook/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startCountingReceiver } from '../support/deliveries/counting-receiver.ts';
import { deliveryScene } from './delivery-scene.ts';

const HOUR_MS = 3_600_000;
/** From the first attempt to the tenth, without jitter. */
const PLANNED_MS = 75 * HOUR_MS + 35 * 60_000 + 5_000;

describe('delivery in the process', () => {
  it('delivers a thousand, each once', async () => {
    const scene = deliveryScene();
    const receiver = await startCountingReceiver();
    const queue = scene.start(inProcessDelivery());
    const ref = await scene.register(receiver.url);
    await scene.publishMany(queue, ref, 1_000);
    await drained(scene.deliveries);
    expect(receiver.arrivals.size).toBe(1_000);
    expect(receiver.times()).toHaveLength(1_000);
    expect(scene.events).toEqual([]);
  });

  it('tries ten times over three days, and then gives up', async () => {
    const { scene, receiver } = await deliverInVirtualTime(500);
    const times = receiver.received().map(({ atMs }) => atMs);
    expect(times).toHaveLength(10);
    const tookMs = (times.at(-1) ?? 0) - (times[0] ?? 0);
    expect(tookMs).toBeGreaterThanOrEqual(PLANNED_MS * 0.8);
    expect(tookMs).toBeLessThanOrEqual(PLANNED_MS * 1.2);
    expect(scene.events.map(({ type }) => type)).toEqual(['delivery.dead']);
  });

  it('gives up on a receiver that never answers, in virtual time', async () => {
    const { scene, receiver, ref } = await deliverInVirtualTime(['hang', 204]);
    const [first, second] = receiver.received();
    // The 15 s of the attempt, and the delay after a timeout, a minute and some jitter.
    const tookMs = (second?.atMs ?? 0) - (first?.atMs ?? 0);
    expect(tookMs).toBeGreaterThanOrEqual(75_000);
    expect(tookMs).toBeLessThanOrEqual(90_000);
    const [delivery] = (await scene.deliveries.list(ref, { limit: 1, after: null })) ?? [];
    expect(delivery?.attempts.map(({ error }) => error)).toEqual(['timeout', null]);
  });

  it('sends what another process left in a storage that they share', async () => {
    const scene = deliveryScene();
    const receiver = await startCountingReceiver();
    const ref = await scene.register(receiver.url);
    // Stored, but never handed over, as if the process had died in between.
    await scene.publish({ enqueue: async () => {} }, ref);
    scene.start(inProcessDelivery({ sweep: { intervalMs: 50, graceMs: 100 } }));
    await receiver.untilDistinct(1);
  });

  it('lets attempts in flight end when it closes, and begins none', async () => {
    const scene = deliveryScene();
    const receiver = await startCountingReceiver({ answerAfterMs: Number.POSITIVE_INFINITY });
    const queue = scene.start(inProcessDelivery({ concurrency: 20 }));
    const ref = await scene.register(receiver.url);
    await scene.publishMany(queue, ref, 60);
    // The share of one account.
    await receiver.untilDistinct(10);
    const closed = queue.close();
    receiver.answer();
    await closed;
    expect(receiver.times()).toHaveLength(10);
    expect(await scene.deliveries.countPending()).toBe(50);
    scene.start(inProcessDelivery({ sweep: { intervalMs: 50, graceMs: 100 } }));
    await drained(scene.deliveries);
    expect(receiver.times()).toHaveLength(60);
  });
});

/** Delivers one event, from its first attempt to its end, to a receiver that answers so. */
async function deliverInVirtualTime(answers: ReceiverScript) {
  const time = virtualTime();
  const { clock, timers } = time;
  const scene = deliveryScene({}, clock);
  const receiver = await startFakeReceiver({ answers, clock, timers });
  onTestFinished(() => receiver.close());
  const watched = watchAttempts(scene.deliveries);
  // Attempts are real, but those that the receiver holds wait for virtual time.
  time.standStillWhile(() => watched.unsettled() !== receiver.held());
  const engine = inProcessDelivery({ timers, sweep: { timers } });
  const queue = engine.connect({ ...scene.context, deliveries: watched.deliveries });
  const ref = await scene.register(receiver.url);
  await scene.publish(queue, ref);
  // The sender is loaded at the first attempt, in real time: virtual time must not run ahead of that.
  await receiver.waitFor(1);
  await drained(scene.deliveries, time);
  await queue.close();
  return { scene, receiver, ref };
}
