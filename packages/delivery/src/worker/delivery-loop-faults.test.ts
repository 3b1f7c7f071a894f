import { setImmediate as nextTurn } from 'node:timers/promises';
import { systemTimers, type Timers } from '@latchhook/core/delivery';
import { describe, expect, it } from 'vitest';
import { ok, type Received, startReceiver, workerFixture } from './worker-fixture.test.support.ts';

/** The delay before failed completions are repeated, and the longest delay before a claim, ms. */
const RETRY_MS = 1_000;

/** Timers under which failed completions are repeated after 5 ms. */
const FAST_RETRIES: Timers = {
  after: (ms, callback) => systemTimers.after(ms === RETRY_MS ? 5 : ms, callback),
};

describe('a worker whose store fails', () => {
  it('claims again at growing intervals until the store recovers', async () => {
    const { received, url } = await startReceiver(ok);
    const delays: number[] = [];
    let failures = 6;
    const { loop, publish } = await workerFixture({
      url,
      storeOverrides: (store) => ({
        claim(request) {
          failures -= 1;
          if (failures >= 0) throw new Error('down');
          return store.claim(request);
        },
      }),
      random: () => 0,
      timers: {
        after(ms, callback) {
          delays.push(ms);
          return systemTimers.after(Math.min(ms, 5), callback);
        },
      },
    });
    await publish(1);
    loop.start();
    await expect.poll(() => received.length).toBe(1);
    expect(delays.slice(0, 6)).toEqual([125, 250, 500, 1_000, 1_000, 1_000]);
  });

  it('completes sent attempts once the store recovers without sending them again', async () => {
    const { received, url } = await startReceiver(ok);
    let failures = 2;
    const { loop, publish, states } = await workerFixture({
      url,
      storeOverrides: (store) => ({
        async complete(...args) {
          failures -= 1;
          if (failures >= 0) throw new Error('down');
          return store.complete(...args);
        },
      }),
      timers: FAST_RETRIES,
    });
    await publish(3);
    loop.start();
    await expect
      .poll(states)
      .toMatchObject([{ state: 'delivered' }, { state: 'delivered' }, { state: 'delivered' }]);
    expect(received).toHaveLength(3);
  });

  it('repeats failed completions together in one call', async () => {
    const waiting: Received[] = [];
    const { url } = await startReceiver((received) => void waiting.push(received));
    const callSizes: number[] = [];
    const retries: (() => void)[] = [];
    const { loop, publish } = await workerFixture({
      url,
      storeOverrides: (store) => ({
        async complete(...args) {
          if (callSizes.push(args[0].length) <= 3) throw new Error('down');
          return store.complete(...args);
        },
      }),
      timers: {
        after(ms, callback) {
          if (ms !== RETRY_MS) return systemTimers.after(ms, callback);
          retries.push(callback);
          return () => {};
        },
      },
    });
    await publish(3);
    loop.start();
    await expect.poll(() => waiting.length).toBe(3);
    for (const [i, request] of waiting.entries()) {
      ok(request);
      await expect.poll(() => callSizes.length).toBe(i + 1);
    }
    for (const retry of [...retries]) {
      retry();
      await nextTurn();
    }
    await loop.drain(5_000);
    expect(callSizes).toEqual([1, 1, 1, 3]);
  });

  it('claims one attempt after each failed retry while completions fail', async () => {
    const { received, url } = await startReceiver(ok);
    let isDown = true;
    const timerCallbacks: (() => void)[] = [];
    const claimLimits: number[] = [];
    const { loop, publish } = await workerFixture({
      url,
      concurrency: 2,
      storeOverrides: (store) => ({
        async claim(request) {
          claimLimits.push(request.limit);
          return store.claim(request);
        },
        async complete(...args) {
          if (isDown) throw new Error('down');
          return store.complete(...args);
        },
      }),
      timers: {
        after(_ms, callback) {
          timerCallbacks.push(callback);
          return () => {};
        },
      },
    });
    await publish(2);
    loop.start();
    await expect.poll(() => received.length).toBe(2);
    await publish(6);
    // The completions of the first two attempts have failed, so nothing is claimed before they are retried.
    const claimsBefore = claimLimits.length;
    await nextTurn();
    expect(claimLimits.length).toBe(claimsBefore);
    for (let retries = 1; retries <= 3; retries += 1) {
      // The retry fails, and then one more attempt is claimed and sent.
      for (const call of timerCallbacks.splice(0)) call();
      await expect.poll(() => received.length).toBe(2 + retries);
      for (let turn = 0; turn < 10; turn += 1) await nextTurn();
      expect(claimLimits.slice(claimsBefore)).toEqual(Array.from({ length: retries }, () => 1));
    }
    isDown = false;
    await expect
      .poll(() => {
        for (const call of timerCallbacks.splice(0)) call();
        return received.length;
      })
      .toBe(6);
  });

  it('returns the attempts of a claim whose reply is late, and then sends each of them once', async () => {
    const { received, url } = await startReceiver(ok);
    let claimCalls = 0;
    const { loop, publish, states } = await workerFixture({
      url,
      storeOverrides: (store) => ({
        async claim(request) {
          claimCalls += 1;
          const claimed = await store.claim(request);
          if (claimCalls > 1) return claimed;
          request.onUnsent?.(claimed.attempts);
          throw new Error('the reply was late');
        },
      }),
    });
    await publish(2);
    loop.start();
    const delivered = { state: 'delivered', attempts: [{ attempt: 1, status: 204 }] };
    await expect.poll(states).toMatchObject([delivered, delivered]);
    expect(received).toHaveLength(2);
  });

  it('claims fewer attempts if the replies to claims of large bodies are late', async () => {
    const { received, url } = await startReceiver(ok);
    const chars = 131_072;
    const { loop, publish } = await workerFixture({
      url,
      storeOverrides: (store) => ({
        async claim(request) {
          const claimed = await store.claim(request);
          const attempts = claimed.attempts.map((each) => ({ ...each, body: 'x'.repeat(chars) }));
          if (attempts.length * chars <= 1_048_576) return { ...claimed, attempts };
          request.onUnsent?.(attempts);
          throw new Error('the reply was late');
        },
      }),
    });
    await publish(20);
    loop.start();
    await expect.poll(() => received.length).toBe(20);
  });

  it('retries no completion whose lease has expired', async () => {
    const { url } = await startReceiver(ok);
    let nowMs = 0;
    let completeCalls = 0;
    const { loop, publish } = await workerFixture({
      url,
      nowMs: () => nowMs,
      storeOverrides: () => ({
        complete() {
          completeCalls += 1;
          // The lease of 20 seconds expires during the second call.
          nowMs += 15_000;
          throw new Error('down');
        },
      }),
      timers: FAST_RETRIES,
    });
    await publish(1);
    loop.start();
    await loop.drain(5_000);
    expect(completeCalls).toBe(2);
  });

  it('does not claim again before its backoff ends, even if the store notifies it', async () => {
    const { url } = await startReceiver(ok);
    let notify = (): void => {};
    let claimCalls = 0;
    const { loop } = await workerFixture({
      url,
      storeOverrides: () => ({
        subscribe(onDue) {
          notify = onDue;
          return async () => {};
        },
        claim() {
          claimCalls += 1;
          throw new Error('down');
        },
      }),
    });
    loop.start();
    await expect.poll(() => claimCalls).toBe(1);
    for (let i = 0; i < 100; i += 1) notify();
    expect(claimCalls).toBe(1);
  });
});

describe('a worker whose store breaks its contract', () => {
  it.each([
    ['claim', { claim: () => undefined }],
    ['claim', { claim: () => ({ attempts: null }) }],
    ['complete', { complete: () => undefined }],
    ['complete', { complete: () => [] }],
  ])('emits a fault for the invalid result of %s', async (method, broken) => {
    const { url } = await startReceiver(ok);
    const { loop, publish, events } = await workerFixture({
      url,
      storeOverrides: () => broken as object,
    });
    await publish(1);
    loop.start();
    const error = expect.objectContaining({ message: expect.stringContaining(method) });
    await expect.poll(() => events).toContainEqual({ type: 'fault', where: 'storage', error });
    await loop.stop(10);
  });

  it('claims every 5 ms at most if attempts are always due but never returned', async () => {
    const { url } = await startReceiver(ok);
    let claimCalls = 0;
    const { loop } = await workerFixture({
      url,
      storeOverrides: () => ({
        async claim() {
          claimCalls += 1;
          return { attempts: [], poisoned: [], nextInMs: claimCalls % 2 === 0 ? 0 : -1 };
        },
      }),
    });
    loop.start();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(claimCalls).toBeLessThanOrEqual(11);
  });
});
