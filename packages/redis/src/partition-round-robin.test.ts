import type { Claim, ClaimedAttempt, ClaimRequest } from '@latchhook/core/storage';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PartitionRoundRobin } from './partition-round-robin.ts';
import { webhookPartitions } from './webhook-keyspace.ts';

const REQUEST = { limit: 8 } as ClaimRequest;
const DEADLINE_MS = 1_000;
const NOTHING: Claim = { attempts: [], poisoned: [], nextInMs: null };

/** Creates partitions. Those in `silent` do not answer; every other partition always has one attempt. */
function createPartitions(count: number, silent: Set<number>) {
  const calls: { partition: number; limit: number }[] = [];
  const partitions = webhookPartitions('latchhook', count).all;
  const roundRobin = new PartitionRoundRobin(partitions, async (keys, { limit }) => {
    const partition = partitions.indexOf(keys);
    calls.push({ partition, limit });
    if (silent.has(partition)) {
      await new Promise((resolve) => setTimeout(resolve, DEADLINE_MS));
      throw new Error(`partition ${partition} is silent`);
    }
    if (limit === 0) return NOTHING;
    return { ...NOTHING, attempts: [{ sequence: partition } as ClaimedAttempt], nextInMs: 0 };
  });
  /** Claims once. Resolves to the partitions of the attempts. */
  const claim = async () => {
    const { attempts } = await roundRobin.claim(REQUEST);
    return attempts.map(({ sequence }) => sequence);
  };
  return { calls, claim };
}

describe('claims from several partitions', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  /** Advances the fake clock until `work` has settled. */
  async function settle<Result>(work: Promise<Result>): Promise<Result> {
    let isPending = true;
    const end = () => {
      isPending = false;
    };
    work.then(end, end);
    for (let i = 0; i < 500 && isPending; i += 1) await vi.advanceTimersByTimeAsync(10);
    return work;
  }

  it('begin with the partition after the one from which the last claim returned attempts', async () => {
    const { claim } = createPartitions(3, new Set());
    const order = [];
    for (let i = 0; i < 4; i += 1) order.push(...(await settle(claim())));
    expect(order).toEqual([0, 1, 2, 0]);
  });

  it('wait for only one deadline if ten of sixteen partitions stop answering', async () => {
    const silent = new Set<number>();
    const { claim, calls } = createPartitions(16, silent);
    // Claims from each partition once, so that the next claim begins with the first one, which is silent by then.
    for (let i = 0; i < 16; i += 1) await settle(claim());
    for (let partition = 0; partition < 10; partition += 1) silent.add(partition);
    const silentSinceMs = performance.now();
    await settle(claim());
    expect(performance.now() - silentSinceMs).toBeLessThanOrEqual(DEADLINE_MS + 300);
    const order = [];
    const recoveredAtMs = performance.now();
    for (let i = 0; i < 8; i += 1) order.push(...(await settle(claim())));
    expect(performance.now() - recoveredAtMs).toBeLessThan(100);
    // All attempts are from the six other partitions.
    expect(order.length).toBeGreaterThanOrEqual(6);
    expect(Math.min(...order)).toBe(10);
    const silentClaims = calls.filter(({ partition, limit }) => silent.has(partition) && limit > 0);
    // Each of the ten was claimed from while it still answered, and one of them after that.
    expect(silentClaims.length).toBe(10 + 1);
  });

  it('use a failed partition again after the probe that is due in five seconds, if the partition answers', async () => {
    const silent = new Set([0]);
    const { claim } = createPartitions(2, silent);
    await settle(claim());
    await settle(claim());
    expect(await settle(claim())).toEqual([1]);
    silent.clear();
    await vi.advanceTimersByTimeAsync(5_000);
    // Starts the probe.
    await settle(claim());
    const order = [...(await settle(claim())), ...(await settle(claim()))];
    expect(order.toSorted()).toEqual([0, 1]);
  });

  it('reject within a deadline, with at most eight probes, if all partitions are silent', async () => {
    const silent = new Set(Array.from({ length: 16 }, (_, i) => i));
    const { claim, calls } = createPartitions(16, silent);
    // Suspends all partitions.
    await expect(settle(claim())).rejects.toThrow('is silent');
    const callsBefore = calls.length;
    const startedMs = performance.now();
    await expect(settle(claim())).rejects.toThrow('is silent');
    expect(performance.now() - startedMs).toBeLessThanOrEqual(DEADLINE_MS + 300);
    expect(calls.length - callsBefore).toBeLessThanOrEqual(8);
  });

  it('ask for another claim immediately until all partitions of a slow cluster have been asked', async () => {
    const all = webhookPartitions('latchhook', 16).all;
    const roundRobin = new PartitionRoundRobin(all, async () => {
      await new Promise((resolve) => setTimeout(resolve, 30));
      return NOTHING;
    });
    expect(await settle(roundRobin.claim(REQUEST))).toEqual({ ...NOTHING, nextInMs: 0 });
    expect(await settle(roundRobin.claim(REQUEST))).toEqual(NOTHING);
  });

  it('return the attempts of a slower partition even if another one has failed', async () => {
    const all = webhookPartitions('latchhook', 3).all;
    const roundRobin = new PartitionRoundRobin(all, async (keys, { limit }) => {
      const partition = all.indexOf(keys);
      if (partition === 0) throw new Error('reset');
      await new Promise((resolve) => setTimeout(resolve, partition === 2 ? 50 : 1));
      if (limit === 0 || partition !== 2) return NOTHING;
      return { ...NOTHING, attempts: [{ sequence: 2 } as ClaimedAttempt] };
    });
    const { attempts } = await settle(roundRobin.claim(REQUEST));
    expect(attempts).toEqual([{ sequence: 2 }]);
  });

  it('reject with the error of a partition if all fail immediately', async () => {
    const roundRobin = new PartitionRoundRobin(webhookPartitions('latchhook', 3).all, async () => {
      throw new Error('reset');
    });
    for (let i = 0; i < 3; i += 1)
      await expect(settle(roundRobin.claim(REQUEST))).rejects.toEqual(new Error('reset'));
  });

  it('reject while the only partition is silent, and use it again as soon as it answers', async () => {
    const silent = new Set([0]);
    const { claim, calls } = createPartitions(1, silent);
    await expect(settle(claim())).rejects.toThrow('partition 0 is silent');
    expect(calls).toHaveLength(1);
    await expect(settle(claim())).rejects.toThrow('partition 0 is silent');
    silent.clear();
    expect(await settle(claim())).toEqual([0]);
  });
});
