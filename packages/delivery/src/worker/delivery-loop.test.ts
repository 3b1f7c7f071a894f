import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type Received, startReceiver, workerScene } from './worker-scene.test.support.ts';

function ok({ response }: Received): void {
  response.writeHead(204).end();
}

describe('a worker', () => {
  it('sends what is published, signed, and completes it', async () => {
    const { received, url } = await startReceiver(ok);
    const { loop, publish, states } = await workerScene({ url });
    loop.start();
    const ids = await publish(120);
    await loop.drain(5_000);
    expect(received.map(({ headers }) => headers['webhook-id']).toSorted()).toEqual(ids.toSorted());
    expect(received[0]?.headers['webhook-signature']).toMatch(/^v1,[\w+/]{43}=$/);
    expect(received[0]?.body).toBe(`{"id":"${received[0]?.headers['webhook-id']}"}`);
    expect(new Set((await states()).map(({ state }) => state))).toEqual(new Set(['delivered']));
  });

  it('has no more attempts in flight than it has permits', async () => {
    const waiting: Received[] = [];
    const counts: number[] = [];
    const { url } = await startReceiver((received) => {
      if (waiting.push(received) < 4) return;
      // A fifth would come before these are answered.
      setTimeout(() => {
        counts.push(waiting.length);
        for (const one of waiting.splice(0)) ok(one);
      }, 20);
    });
    const { loop, publish } = await workerScene({ url, concurrency: 4 });
    await publish(20);
    loop.start();
    await loop.drain(5_000);
    expect(counts).toEqual([4, 4, 4, 4, 4]);
  });

  it('returns what could not begin within the margin, and sends it later as the same attempt', async () => {
    const { received, url } = await startReceiver(ok);
    let nowMs = 0;
    // Every look at the clock is 100 ms after the one before, until the margin has followed.
    const late = () => {
      nowMs += 100;
      return nowMs;
    };
    const { loop, publish, states } = await workerScene({ url, nowMs: late });
    await publish(1);
    loop.start();
    await expect.poll(() => received.length, { timeout: 10_000 }).toBe(1);
    await loop.drain(5_000);
    expect(await states()).toMatchObject([{ state: 'delivered', attempts: [{ attempt: 1 }] }]);
  });

  it('tries again what failed, and says what was given up and which webhook was disabled', async () => {
    const { url } = await startReceiver(({ response }, nth) =>
      response.writeHead(nth === 1 ? 500 : 410).end(),
    );
    const { loop, publish, states, events } = await workerScene({ url, concurrency: 1 });
    await publish(2);
    loop.start();
    await expect.poll(() => events.length).toBe(2);
    const ref = { accountId: 1, webhookId: 'wh_1' };
    expect(events).toEqual([
      { type: 'webhook.disabled', ...ref, reason: 'gone' },
      { type: 'delivery.dead', ...ref, deliveryId: 'msg_2', reason: 'gone' },
    ]);
    expect(await states()).toMatchObject([
      { deliveryId: 'msg_2', state: 'dead', attempts: [{ status: 410 }] },
      { deliveryId: 'msg_1', state: 'held', attempts: [{ status: 500 }] },
    ]);
  });

  it('costs a delivery no try where a secret cannot be opened, and reports that', async () => {
    const { url } = await startReceiver(ok);
    const fault = new Error('no key opens it');
    const { loop, publish, states, events } = await workerScene({
      url,
      openSecrets: () => {
        throw fault;
      },
    });
    await publish(1);
    loop.start();
    await expect.poll(() => events).toEqual([{ type: 'fault', where: 'delivery', error: fault }]);
    await expect.poll(states).toMatchObject([{ state: 'waiting', attempts: [{ status: null }] }]);
  });
});

it('leaves the async context of whoever publishes, or drains', async () => {
  const { url } = await startReceiver(ok);
  const context = new AsyncLocalStorage<string>();
  const seen: unknown[] = [];
  const { loop, publish } = await workerScene({
    url,
    faulty: (store) => ({
      claim(request) {
        seen.push(context.getStore());
        return store.claim(request);
      },
    }),
  });
  loop.start();
  await context.run('a request', async () => {
    await publish(3);
    await loop.drain(5_000);
  });
  expect(new Set(seen)).toEqual(new Set([undefined]));
});

describe('a worker that is drained', () => {
  it('asks for what is due before it answers', async () => {
    const { received, url } = await startReceiver(ok);
    const { loop, publish } = await workerScene({ url, faulty: () => ({ subscribe: undefined }) });
    loop.start();
    expect(await loop.drain(5_000)).toEqual({ outcome: 'drained' });
    // Nothing wakes it, and it would look again after a second.
    await publish(70);
    expect(await loop.drain(900)).toEqual({ outcome: 'drained' });
    expect(received).toHaveLength(70);
  });

  it('says so where something is left at the deadline', async () => {
    const { received, url } = await startReceiver(() => {});
    const { loop, publish } = await workerScene({ url });
    await publish(1);
    loop.start();
    await expect.poll(() => received.length).toBe(1);
    expect(await loop.drain(10)).toEqual({ outcome: 'deadline' });
  });
});

describe('a worker that cannot send yet', () => {
  it('claims nothing before it can, and reports why', async () => {
    const { received, url } = await startReceiver(ok);
    const fault = new Error('too many open files');
    let isReady = false;
    let deliveries = 0;
    const { loop, publish, events } = await workerScene({
      url,
      isReady: () => (isReady ? null : fault),
      faulty: (store) => ({
        claim(request) {
          deliveries += 1;
          return store.claim(request);
        },
      }),
    });
    await publish(1);
    loop.start();
    await expect
      .poll(() => events)
      .toContainEqual({ type: 'fault', where: 'delivery', error: fault });
    expect(deliveries).toBe(0);
    isReady = true;
    await expect.poll(() => received.length).toBe(1);
  });
});

describe('a worker whose store fails', () => {
  it('asks again, less and less often, and goes on by itself', async () => {
    const { received, url } = await startReceiver(ok);
    const waits: number[] = [];
    let failures = 6;
    const { loop, publish } = await workerScene({
      url,
      faulty: (store) => ({
        claim(request) {
          failures -= 1;
          if (failures >= 0) throw new Error('down');
          return store.claim(request);
        },
      }),
      random: () => 0,
      timers: {
        after(ms, callback) {
          waits.push(ms);
          const timer = setTimeout(callback, Math.min(ms, 5));
          return () => clearTimeout(timer);
        },
      },
    });
    await publish(1);
    loop.start();
    await expect.poll(() => received.length).toBe(1);
    expect(waits.slice(0, 6)).toEqual([125, 250, 500, 1_000, 1_000, 1_000]);
  });

  it('completes what was sent once it is back, and sends nothing twice', async () => {
    const { received, url } = await startReceiver(ok);
    let failures = 2;
    const { loop, publish, states } = await workerScene({
      url,
      faulty: (store) => ({
        async complete(...given) {
          failures -= 1;
          if (failures >= 0) throw new Error('down');
          return store.complete(...given);
        },
      }),
      timers: {
        after(ms, callback) {
          const timer = setTimeout(callback, ms === 1_000 ? 5 : ms);
          return () => clearTimeout(timer);
        },
      },
    });
    await publish(3);
    loop.start();
    await expect
      .poll(states)
      .toMatchObject([{ state: 'delivered' }, { state: 'delivered' }, { state: 'delivered' }]);
    expect(received).toHaveLength(3);
  });

  it('tells it again of all together that it could not be told of one by one', async () => {
    const waiting: Received[] = [];
    const { url } = await startReceiver((received) => void waiting.push(received));
    const told: number[] = [];
    const overdue: (() => void)[] = [];
    const { loop, publish } = await workerScene({
      url,
      faulty: (store) => ({
        async complete(...given) {
          if (told.push(given[0].length) <= 3) throw new Error('down');
          return store.complete(...given);
        },
      }),
      timers: {
        after(ms, callback) {
          if (ms === 1_000) overdue.push(callback);
          const timer = setTimeout(callback, ms === 1_000 ? 60_000 : ms);
          return () => clearTimeout(timer);
        },
      },
    });
    await publish(3);
    loop.start();
    await expect.poll(() => waiting.length).toBe(3);
    for (const [nth, one] of waiting.entries()) {
      ok(one);
      await expect.poll(() => told.length).toBe(nth + 1);
    }
    for (const look of [...overdue]) {
      look();
      await nextTurn();
    }
    await loop.drain(5_000);
    expect(told).toEqual([1, 1, 1, 3]);
  });

  it('gives an end up whose lease is over', async () => {
    const { url } = await startReceiver(ok);
    let nowMs = 0;
    let asked = 0;
    const { loop, publish } = await workerScene({
      url,
      nowMs: () => nowMs,
      faulty: () => ({
        complete() {
          asked += 1;
          nowMs += 15_000;
          throw new Error('down');
        },
      }),
      timers: {
        after(ms, callback) {
          const timer = setTimeout(callback, ms === 1_000 ? 5 : ms);
          return () => clearTimeout(timer);
        },
      },
    });
    await publish(1);
    loop.start();
    await loop.drain(5_000);
    expect(asked).toBe(2);
  });
});

describe('a worker whose store breaks its contract', () => {
  it.each([
    ['claim', { claim: () => undefined }],
    ['claim', { claim: () => ({ attempts: null }) }],
    ['complete', { complete: () => undefined }],
    ['complete', { complete: () => [] }],
  ])('reports what %s answered, and asks again', async (method, broken) => {
    const { url } = await startReceiver(ok);
    const { loop, publish, events } = await workerScene({ url, faulty: () => broken as object });
    await publish(1);
    loop.start();
    const error = expect.objectContaining({ message: expect.stringContaining(method) });
    await expect.poll(() => events).toContainEqual({ type: 'fault', where: 'storage', error });
    await loop.stop(10);
  });

  it('leaves the event loop to others where there is always more, and nothing of it', async () => {
    const { url } = await startReceiver(ok);
    let deliveries = 0;
    const { loop } = await workerScene({
      url,
      faulty: () => ({
        claim() {
          deliveries += 1;
          return { attempts: [], poisoned: [], nextInMs: deliveries % 2 === 0 ? 0 : -1 };
        },
      }),
    });
    loop.start();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(deliveries).toBeLessThanOrEqual(11);
  });

  it('is not asked before its time, however often it wakes', async () => {
    const { url } = await startReceiver(ok);
    let wake = (): void => {};
    let deliveries = 0;
    const { loop } = await workerScene({
      url,
      faulty: () => ({
        subscribe(onDue) {
          wake = onDue;
          return async () => {};
        },
        claim() {
          deliveries += 1;
          throw new Error('down');
        },
      }),
    });
    loop.start();
    await expect.poll(() => deliveries).toBe(1);
    for (let nth = 0; nth < 100; nth += 1) wake();
    expect(deliveries).toBe(1);
  });

  it('is stopped by its deadline, though its subscription never ends', async () => {
    const { url } = await startReceiver(ok);
    const { loop } = await workerScene({
      url,
      faulty: () => ({ subscribe: () => () => new Promise<never>(() => {}) }),
    });
    loop.start();
    expect(await loop.stop(10)).toEqual({ outcome: 'deadline' });
  });
});

describe('a worker that is stopped', () => {
  it('completes what is in flight, and claims no more', async () => {
    let answer = (): void => {};
    const { received, url } = await startReceiver((one) => {
      answer = () => ok(one);
    });
    const { loop, publish, states } = await workerScene({ url, concurrency: 1 });
    await publish(2);
    loop.start();
    await expect.poll(() => received.length).toBe(1);
    const stopped = loop.stop(5_000);
    answer();
    await stopped;
    expect(received).toHaveLength(1);
    expect(await states()).toMatchObject([{ state: 'queued' }, { state: 'delivered' }]);
  });

  it('ends at its deadline, whatever is still in flight', async () => {
    const { received, url } = await startReceiver(() => {});
    const { loop, publish, states } = await workerScene({ url });
    await publish(1);
    loop.start();
    await expect.poll(() => received.length).toBe(1);
    await loop.stop(10);
    expect(await states()).toMatchObject([{ state: 'sending' }]);
  });

  it('gives back what is claimed meanwhile, and begins none of it', async () => {
    const { received, url } = await startReceiver(ok);
    let answer = (): void => {};
    const asked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const { loop, publish, states, store } = await workerScene({
      url,
      faulty: (sound) => ({
        async claim(request) {
          const claim = await sound.claim(request);
          await asked;
          return claim;
        },
      }),
    });
    await publish(3);
    loop.start();
    await expect.poll(async () => (await store.stats()).pending).toBe(3);
    const stopped = loop.stop(5_000);
    answer();
    expect(await stopped).toEqual({ outcome: 'drained' });
    expect(received).toEqual([]);
    expect((await states()).map(({ state }) => state)).toEqual(['queued', 'queued', 'queued']);
  });
});
