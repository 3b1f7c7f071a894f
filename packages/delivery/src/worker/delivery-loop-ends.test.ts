import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ok, startReceiver, workerFixture } from './worker-fixture.test.support.ts';

describe('a worker that is drained', () => {
  it('claims once more before drain() resolves', async () => {
    const { received, url } = await startReceiver(ok);
    const { loop, publish } = await workerFixture({
      url,
      storeOverrides: () => ({ subscribe: undefined }),
    });
    loop.start();
    expect(await loop.drain(5_000)).toEqual({ outcome: 'drained' });
    // More than one claim returns. Without notifications the worker would claim again only after a second.
    await publish(70);
    expect(await loop.drain(900)).toEqual({ outcome: 'drained' });
    expect(received).toHaveLength(70);
  });

  it('resolves drain() to `deadline` if an attempt is in flight at the deadline', async () => {
    const { received, url } = await startReceiver(() => {});
    const { loop, publish } = await workerFixture({ url });
    await publish(1);
    loop.start();
    await expect.poll(() => received.length).toBe(1);
    expect(await loop.drain(10)).toEqual({ outcome: 'deadline' });
  });
});

describe('a worker that is stopped', () => {
  it('completes attempts in flight without another claim', async () => {
    let respond = (): void => {};
    const { received, url } = await startReceiver((request) => {
      respond = () => ok(request);
    });
    const { loop, publish, states } = await workerFixture({ url, concurrency: 1 });
    await publish(2);
    loop.start();
    await expect.poll(() => received.length).toBe(1);
    const stopping = loop.stop(5_000);
    respond();
    await stopping;
    expect(received).toHaveLength(1);
    expect(await states()).toMatchObject([{ state: 'queued' }, { state: 'delivered' }]);
  });

  it('ends at its deadline even if an attempt is in flight', async () => {
    const { received, url } = await startReceiver(() => {});
    const { loop, publish, states } = await workerFixture({ url });
    await publish(1);
    loop.start();
    await expect.poll(() => received.length).toBe(1);
    await loop.stop(10);
    expect(await states()).toMatchObject([{ state: 'sending' }]);
  });

  it('ends at its deadline even if a claim is pending, and neither sends nor completes what that claim returns later', async () => {
    const { received, url } = await startReceiver(ok);
    let onClaim = (): void => {};
    const claimed = new Promise<void>((resolve) => {
      onClaim = resolve;
    });
    let finishClaim = (): void => {};
    const claimFinished = new Promise<void>((resolve) => {
      finishClaim = resolve;
    });
    const calls: string[] = [];
    const { loop, publish, states } = await workerFixture({
      url,
      storeOverrides: (store) => ({
        async claim(request) {
          calls.push('claim');
          onClaim();
          await claimFinished;
          return store.claim(request);
        },
        async complete(...args) {
          calls.push('complete');
          return store.complete(...args);
        },
      }),
    });
    await publish(1);
    loop.start();
    await claimed;
    expect(await loop.stop(10)).toEqual({ outcome: 'deadline' });
    finishClaim();
    await expect.poll(states).toMatchObject([{ state: 'sending' }]);
    for (let turn = 0; turn < 10; turn += 1) await nextTurn();
    expect(received).toEqual([]);
    expect(calls).toEqual(['claim']);
  });

  it('returns attempts that are claimed during stop()', async () => {
    const { received, url } = await startReceiver(ok);
    let finishClaim = (): void => {};
    const claimFinished = new Promise<void>((resolve) => {
      finishClaim = resolve;
    });
    let claimCount = 0;
    const { loop, publish, states } = await workerFixture({
      url,
      storeOverrides: (store) => ({
        async claim(request) {
          const claim = await store.claim(request);
          claimCount += claim.attempts.length;
          await claimFinished;
          return claim;
        },
      }),
    });
    await publish(3);
    loop.start();
    await expect.poll(() => claimCount).toBe(3);
    const stopping = loop.stop(5_000);
    finishClaim();
    expect(await stopping).toEqual({ outcome: 'drained' });
    expect(received).toEqual([]);
    expect((await states()).map(({ state }) => state)).toEqual(['queued', 'queued', 'queued']);
  });

  it('ends at its deadline even if its subscription never ends', async () => {
    const { url } = await startReceiver(ok);
    const { loop } = await workerFixture({
      url,
      storeOverrides: () => ({ subscribe: () => () => new Promise<never>(() => {}) }),
    });
    loop.start();
    expect(await loop.stop(10)).toEqual({ outcome: 'deadline' });
  });
});
