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
    await loop.drained(5_000);
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
    await loop.drained(5_000);
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
    await loop.drained(5_000);
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
    await loop.drained(5_000);
    expect(asked).toBe(2);
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
});
