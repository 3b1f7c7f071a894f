import { describe, expect, it } from 'vitest';
import { ok, startReceiver, workerFixture } from './worker-fixture.test.support.ts';

describe('a worker that is drained', () => {
  it('claims once more before drain() resolves', async () => {
    const { received, url } = await startReceiver(ok);
    const { loop, publish } = await workerFixture({
      url,
      faulty: () => ({ subscribe: undefined }),
    });
    loop.start();
    expect(await loop.drain(5_000)).toEqual({ outcome: 'drained' });
    // Without notifications the worker would claim again only after a second.
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

  it('returns attempts that are claimed during stop()', async () => {
    const { received, url } = await startReceiver(ok);
    let finishClaim = (): void => {};
    const claimFinished = new Promise<void>((resolve) => {
      finishClaim = resolve;
    });
    let claimCount = 0;
    const { loop, publish, states } = await workerFixture({
      url,
      faulty: (store) => ({
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
      faulty: () => ({ subscribe: () => () => new Promise<never>(() => {}) }),
    });
    loop.start();
    expect(await loop.stop(10)).toEqual({ outcome: 'deadline' });
  });
});
