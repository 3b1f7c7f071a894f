import type { Claim, ClaimedAttempt, ClaimRequest } from '@latchhook/core/storage';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PartitionRoundRobin } from './partition-round-robin.ts';
import { webhookPartitions } from './webhook-keyspace.ts';

const REQUEST = { limit: 8 } as ClaimRequest;
const DEADLINE_MS = 1_000;
const NOTHING: Claim = { attempts: [], poisoned: [], nextInMs: null };

/** Partitions of which some do not answer; each of the others always has one attempt. */
function partitions(count: number, silent: Set<number>) {
  const calls: { partition: number; limit: number }[] = [];
  const all = webhookPartitions('latchhook', count).all;
  const roundRobin = new PartitionRoundRobin(all, async (keys, { limit }) => {
    const partition = all.indexOf(keys);
    calls.push({ partition, limit });
    if (silent.has(partition)) {
      await new Promise((resolve) => setTimeout(resolve, DEADLINE_MS));
      throw new Error(`partition ${partition} is silent`);
    }
    if (limit === 0) return NOTHING;
    return { ...NOTHING, attempts: [{ sequence: partition } as ClaimedAttempt], nextInMs: 0 };
  });
  const claimed = async () => {
    const { attempts } = await roundRobin.claim(REQUEST);
    return attempts.map(({ sequence }) => sequence);
  };
  return { calls, claimed };
}

describe('claims from several partitions', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  async function settled<Result>(work: Promise<Result>, ms = 0): Promise<Result> {
    work.catch(() => {});
    await vi.advanceTimersByTimeAsync(ms);
    return work;
  }

  it('begin with the partition after the last one', async () => {
    const { claimed } = partitions(3, new Set());
    const order = [];
    for (let i = 0; i < 4; i += 1) order.push(...(await settled(claimed())));
    expect(order).toEqual([0, 1, 2, 0]);
  });

  it('wait for one deadline if ten of sixteen partitions stop answering, and then for none', async () => {
    const silent = new Set<number>();
    const { claimed, calls } = partitions(16, silent);
    for (let i = 0; i < 16; i += 1) await settled(claimed());
    for (let partition = 0; partition < 10; partition += 1) silent.add(partition);
    const first = claimed();
    await vi.advanceTimersByTimeAsync(DEADLINE_MS);
    await settled(first);
    const order = [];
    for (let i = 0; i < 8; i += 1) order.push(...(await settled(claimed())));
    expect(order.length).toBeGreaterThanOrEqual(6);
    expect(Math.min(...order)).toBe(10);
    const leasing = calls.filter(({ partition, limit }) => silent.has(partition) && limit > 0);
    expect(leasing.length).toBe(16 + 1 - 6);
  });

  it('use a partition again within its backoff and a second after it answers', async () => {
    const silent = new Set([0]);
    const { claimed } = partitions(2, silent);
    await settled(claimed(), DEADLINE_MS);
    await settled(claimed(), DEADLINE_MS);
    expect(await settled(claimed())).toEqual([1]);
    silent.clear();
    await vi.advanceTimersByTimeAsync(5_000);
    await settled(claimed());
    const order = [...(await settled(claimed())), ...(await settled(claimed()))];
    expect(order.toSorted()).toEqual([0, 1]);
  });

  it('reject within a deadline, with at most eight probes, if all partitions are silent', async () => {
    const silent = new Set(Array.from({ length: 16 }, (_, i) => i));
    const { claimed, calls } = partitions(16, silent);
    await expect(settled(claimed(), 2 * DEADLINE_MS)).rejects.toThrow('is silent');
    const before = calls.length;
    await expect(settled(claimed(), DEADLINE_MS)).rejects.toThrow('is silent');
    expect(calls.length - before).toBeLessThanOrEqual(8);
  });

  it('reject at each failure of the only partition', async () => {
    const silent = new Set([0]);
    const { claimed, calls } = partitions(1, silent);
    await expect(settled(claimed(), DEADLINE_MS)).rejects.toThrow('partition 0 is silent');
    expect(calls).toHaveLength(1);
    await expect(settled(claimed(), DEADLINE_MS)).rejects.toThrow('partition 0 is silent');
    silent.clear();
    expect(await settled(claimed())).toEqual([0]);
  });
});
