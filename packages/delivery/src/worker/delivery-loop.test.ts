import { AsyncLocalStorage } from 'node:async_hooks';
import type { Timers } from '@latchhook/core/delivery';
import { describe, expect, it } from 'vitest';
import { ok, type Received, startReceiver, workerFixture } from './worker-fixture.test.support.ts';

describe('a worker', () => {
  it('signs, sends and completes each published delivery', async () => {
    const { received, url } = await startReceiver(ok);
    const { loop, publish, states } = await workerFixture({ url });
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
      // A fifth request would arrive before these get their responses.
      setTimeout(() => {
        counts.push(waiting.length);
        for (const request of waiting.splice(0)) ok(request);
      }, 20);
    });
    const { loop, publish } = await workerFixture({ url, concurrency: 4 });
    await publish(20);
    loop.start();
    await loop.drain(5_000);
    expect(counts).toEqual([4, 4, 4, 4, 4]);
  });

  it('returns an attempt that is later than the rate margin, and claims the attempt again', async () => {
    const { received, url } = await startReceiver(ok);
    let nowMs = 0;
    // The clock advances by 100 ms at each read, so attempts are late until the margin has grown.
    const advancingClock = () => {
      nowMs += 100;
      return nowMs;
    };
    const { loop, publish, states } = await workerFixture({ url, nowMs: advancingClock });
    await publish(1);
    loop.start();
    await expect.poll(() => received.length, { timeout: 10_000 }).toBe(1);
    await loop.drain(5_000);
    expect(await states()).toMatchObject([{ state: 'delivered', attempts: [{ attempt: 1 }] }]);
  });

  it('immediately claims a delivery that was published during a claim that returned nothing', async () => {
    const { received, url } = await startReceiver(ok);
    let claims = 0;
    const never: Timers = { after: () => () => {} };
    const { loop, publish } = await workerFixture({
      url,
      timers: never,
      storeOverrides: (store) => ({
        async claim(request) {
          claims += 1;
          const claim = await store.claim(request);
          // The store notifies the worker before this claim, which has missed the delivery, resolves.
          if (claims === 1) await publish(1);
          return claim;
        },
      }),
    });
    loop.start();
    await expect.poll(() => received.length).toBe(1);
  });

  it('emits failed deliveries and disabled webhooks', async () => {
    const { url } = await startReceiver(({ response }, i) =>
      response.writeHead(i === 1 ? 500 : 410).end(),
    );
    const { loop, publish, states, events } = await workerFixture({ url, concurrency: 1 });
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

  it('emits a fault and retries a delivery whose secret cannot be decrypted', async () => {
    const { url } = await startReceiver(ok);
    const fault = new Error('no key decrypts it');
    const { loop, publish, states, events } = await workerFixture({
      url,
      decryptSecrets: () => {
        throw fault;
      },
    });
    await publish(1);
    loop.start();
    await expect.poll(() => events).toEqual([{ type: 'fault', where: 'delivery', error: fault }]);
    await expect.poll(states).toMatchObject([{ state: 'waiting', attempts: [{ status: null }] }]);
  });

  it('limits each account to three quarters of the concurrency, but at least 10 and at most 100', async () => {
    const { url } = await startReceiver(ok);
    const limits: number[] = [];
    for (const concurrency of [20, 8, 1_000]) {
      const { loop } = await workerFixture({
        url,
        concurrency,
        storeOverrides: (store) => ({
          claim(request) {
            limits.push(request.maxInFlightPerAccount);
            return store.claim(request);
          },
        }),
      });
      loop.start();
      await loop.drain(5_000);
    }
    expect([...new Set(limits)]).toEqual([15, 10, 100]);
  });
});

it('a worker claims outside of the async context of publish() and drain()', async () => {
  const { url } = await startReceiver(ok);
  const context = new AsyncLocalStorage<string>();
  const contexts: unknown[] = [];
  const { loop, publish } = await workerFixture({
    url,
    storeOverrides: (store) => ({
      claim(request) {
        contexts.push(context.getStore());
        return store.claim(request);
      },
    }),
  });
  loop.start();
  await context.run('a request', async () => {
    await publish(3);
    await loop.drain(5_000);
  });
  expect(new Set(contexts)).toEqual(new Set([undefined]));
});

describe('a worker whose sender is not open', () => {
  it('claims nothing while the sender cannot be opened, and emits a fault', async () => {
    const { received, url } = await startReceiver(ok);
    const fault = new Error('too many open files');
    let canOpen = false;
    let claimCalls = 0;
    const { loop, publish, events } = await workerFixture({
      url,
      openFault: () => (canOpen ? null : fault),
      storeOverrides: (store) => ({
        claim(request) {
          claimCalls += 1;
          return store.claim(request);
        },
      }),
    });
    await publish(1);
    loop.start();
    await expect
      .poll(() => events)
      .toContainEqual({ type: 'fault', where: 'delivery', error: fault });
    expect(claimCalls).toBe(0);
    canOpen = true;
    await expect.poll(() => received.length).toBe(1);
  });

  it('claims nothing after stop(), even if the sender opens then', async () => {
    const { url } = await startReceiver(ok);
    let claimCalls = 0;
    let finishOpening = (): void => {};
    const opened = new Promise<void>((resolve) => {
      finishOpening = resolve;
    });
    const { loop } = await workerFixture({
      url,
      sender: { send: () => Promise.reject(new Error('not now')), open: () => opened },
      storeOverrides: (store) => ({
        claim(request) {
          claimCalls += 1;
          return store.claim(request);
        },
      }),
    });
    loop.start();
    const stopping = loop.stop(5_000);
    finishOpening();
    expect(await stopping).toEqual({ outcome: 'drained' });
    expect(claimCalls).toBe(0);
  });
});
