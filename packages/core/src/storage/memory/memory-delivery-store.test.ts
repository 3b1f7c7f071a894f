import { beforeEach, describe, expect, it } from 'vitest';
import { type DeliveryScene, ref, setUp } from './delivery-scene.test.support.ts';

// What the contract promises is certified by the testkit, in test/storage.
describe('MemoryDeliveryStore', () => {
  let app: DeliveryScene;

  beforeEach(async () => {
    app = await setUp();
  });

  it('spreads what is sent again, so that none of a great many asks more than twice', async () => {
    const ids = Array.from({ length: 200 }, (_, nth) => `msg_${nth}`);
    await app.webhooks.change(ref, { rateLimit: 1000 });
    for (const id of ids) {
      await app.publish(id, { maxQueued: 1000 });
      await app.attempt(id, { kind: 'dead', reason: 'exhausted' });
    }
    app.advance(1000);
    await app.webhooks.change(ref, { rateLimit: 10 });
    const batch = await app.deliveries.recover(ref, { sinceMs: 0, limit: 1000 });
    const asks = (batch?.scheduled ?? []).map(({ deliveryId, run, delayMs }) => {
      app.runs.set(deliveryId, run);
      return { deliveryId, atMs: delayMs, asked: 0 };
    });
    const startedAtMs: number[] = [];
    for (let ms = 0; startedAtMs.length < 200; ms += 1) {
      for (const ask of asks.filter(({ atMs }) => atMs === ms)) {
        const outcome = await app.start(ask.deliveryId);
        ask.asked += 1;
        if (outcome.outcome === 'started') startedAtMs.push(ms);
        if (outcome.outcome === 'deferred') ask.atMs = ms + outcome.delayMs;
      }
      app.advance(1);
    }
    expect(Math.max(...asks.map(({ asked }) => asked))).toBeLessThanOrEqual(2);
    // Ten at once, and then ten a second.
    expect(startedAtMs.at(-1)).toBe(19_900);
  });

  it('has a retry wait behind those that still do, and not behind one that has started', async () => {
    await app.webhooks.change(ref, { rateLimit: 2 });
    for (const id of ['msg_1', 'msg_2']) {
      await app.publish(id);
      await app.attempt(id, { kind: 'retry', delayMs: 0 });
    }
    expect(await app.start('msg_1')).toMatchObject({ reason: 'rate', delayMs: 1000 });
    expect(await app.start('msg_2')).toMatchObject({ reason: 'rate', delayMs: 1500 });
    app.advance(1000);
    await app.start('msg_1');
    await app.webhooks.change(ref, { rateLimit: 1 });
    expect(await app.start('msg_2')).toMatchObject({ reason: 'rate', delayMs: 1000 });
  });

  it('counts a rate on a clock that nobody sets back', async () => {
    for (let nth = 0; nth < 6; nth += 1) await app.publish(`msg_${nth}`);
    for (let nth = 0; nth < 5; nth += 1) await app.start(`msg_${nth}`);
    app.time.nowMs -= 3_600_000;
    const deferred = { outcome: 'deferred', reason: 'rate', delayMs: 1000, next: null };
    expect(await app.start('msg_5')).toEqual(deferred);
    app.advance(1000);
    expect(await app.start('msg_5')).toMatchObject({ outcome: 'started' });
  });

  it('knows what started before the period of the rate was made longer', async () => {
    for (let nth = 0; nth < 6; nth += 1) await app.publish(`msg_${nth}`);
    for (let nth = 0; nth < 5; nth += 1) await app.start(`msg_${nth}`);
    app.advance(10_000);
    await app.webhooks.change(ref, { rateLimitPeriod: 'minute' });
    const deferred = { outcome: 'deferred', reason: 'rate', delayMs: 50_000, next: null };
    expect(await app.start('msg_5', { leaseMs: 60_000 })).toEqual(deferred);
  });

  it('recovers by when they were created, though the clock was set back between them', async () => {
    const sinceMs = app.time.nowMs;
    for (const [id, atMs] of Object.entries({ msg_1: 1, msg_2: -2, msg_3: -1, msg_4: 3 })) {
      app.time.nowMs = sinceMs + atMs;
      await app.publish(id);
      await app.attempt(id, { kind: 'dead', reason: 'exhausted' });
    }
    const recover = () => app.deliveries.recover(ref, { sinceMs, limit: 1 });
    expect(await recover()).toMatchObject({ scheduled: [{ deliveryId: 'msg_1' }], more: true });
    expect(await recover()).toMatchObject({ scheduled: [{ deliveryId: 'msg_4' }], more: false });
    expect(await recover()).toEqual({ scheduled: [], count: 0, more: false });
  });

  it('leaves the records that it answered as they were', async () => {
    await app.publish('msg_1');
    const before = await app.deliveries.find({ ...ref, deliveryId: 'msg_1' });
    const copy = structuredClone(before);
    await app.attempt('msg_1', { kind: 'delivered' });
    expect(before).toEqual(copy);
  });

  it('sends a held one again whose release was lost, once its webhook is enabled', async () => {
    await app.publish('msg_1');
    await app.publish('msg_2');
    await app.attempt('msg_1', { kind: 'dead', reason: 'gone' });
    expect(await app.start('msg_2')).toEqual({ outcome: 'held' });
    const held = { ...ref, deliveryId: 'msg_2' };
    expect(await app.deliveries.resend(held)).toEqual({ outcome: 'held' });
    await app.webhooks.enable(ref);
    const scheduled = { ...held, run: 2, delayMs: 0 };
    expect(await app.deliveries.resend(held)).toEqual({ outcome: 'scheduled', scheduled });
  });
});
