import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { AttemptEnd, ClaimedAttempt } from '../../delivery-store.ts';
import type { NewMessage } from '../../new-message.ts';
import { memoryEngine } from '../memory-engine.ts';
import type { Rows, StorageEngine } from '../storage-engine.ts';
import { storageOn } from '../storage-on.ts';
import { CLAIM, newMessage, newWebhook } from './delivery-samples.test.support.ts';

const clock = { ms: 0, nowMs: () => clock.ms };
beforeEach(() => {
  clock.ms = 1_700_000_000_000;
});

const LIMITS = { disableAfterMs: 1e9 };

/** The memory engine, with counts of its calls. Transactions of `failing` partitions are rejected. */
function watchedEngine() {
  const inner = memoryEngine(clock);
  const watch = {
    rowsRead: 0,
    rowsWritten: 0,
    mostRowsWritten: 0,
    inProgress: 0,
    mostInProgress: 0,
    partitions: [] as string[],
    failing: new Set<string>(),
    failingIndex: '',
  };
  const countRows = (rows: Rows): Rows => ({
    put(row) {
      watch.rowsWritten += 1;
      watch.mostRowsWritten = Math.max(watch.mostRowsWritten, watch.rowsWritten);
      return rows.put(row);
    },
    delete: (key) => rows.delete(key),
    async get(key) {
      watch.rowsRead += 1;
      return rows.get(key);
    },
    async range(index, request) {
      const read = await rows.range(index, request);
      watch.rowsRead += read.length;
      return read;
    },
  });
  const engine: StorageEngine = {
    name: inner.name,
    now: () => inner.now(),
    find: (index, request) =>
      index === watch.failingIndex
        ? Promise.reject(new Error('connection lost'))
        : inner.find(index, request),
    transact(partition, work) {
      watch.partitions.push(partition);
      if (watch.failing.has(partition)) return Promise.reject(new Error('deadlock detected'));
      watch.inProgress += 1;
      watch.mostInProgress = Math.max(watch.mostInProgress, watch.inProgress);
      return inner
        .transact(partition, (rows, nowMs) => {
          watch.rowsWritten = 0;
          return work(countRows(rows), nowMs);
        })
        .finally(() => {
          watch.inProgress -= 1;
        });
    },
  };
  return { engine, watch };
}

function fixture() {
  const { engine, watch } = watchedEngine();
  const { webhooks, deliveries } = storageOn(engine);
  const register = (webhookId: string, accountId = 1) =>
    webhooks.create(newWebhook(webhookId, accountId), { maxPerAccount: 20 });
  const publish = (messageId: string, change: Partial<NewMessage> = {}) =>
    deliveries.publish(newMessage(messageId, change));
  const claim = async (change: Partial<typeof CLAIM> = {}) =>
    (await deliveries.claim({ ...CLAIM, ...change })).attempts.map(({ deliveryId }) => deliveryId);
  return { webhooks, deliveries, register, publish, claim, watch };
}

function failedEnd(attempt: ClaimedAttempt, kind: 'retry' | 'failed' = 'failed'): AttemptEnd {
  const result = { status: 500, durationMs: 1, error: 'status' };
  const end = { ...attempt, result, backoffMs: 0, url: attempt.webhook.url };
  return kind === 'retry'
    ? { ...end, outcome: { kind, delayMs: 60_000 } }
    : { ...end, outcome: { kind, reason: 'exhausted' } };
}

describe('the delivery store on an engine', () => {
  it('reads as many rows for a claim from 1,000 waiting deliveries as from ten', async () => {
    const rowsReadFrom = async (backlog: number) => {
      const { register, publish, claim, watch } = fixture();
      await register('w1');
      for (let i = 0; i < backlog; i += 1) await publish(`m${i}`);
      await claim({ limit: 1 });
      watch.rowsRead = 0;
      expect(await claim({ limit: 3 })).toHaveLength(3);
      return watch.rowsRead;
    };
    expect(await rowsReadFrom(1_000)).toBe(await rowsReadFrom(10));
  });

  it('reads each expired row at the head of a queue once', async () => {
    const { register, publish, claim, deliveries, watch } = fixture();
    await register('w1');
    await publish('first');
    await claim();
    for (let i = 0; i < 100; i += 1) await publish(`m${i}`, { retentionMs: 1_000 });
    await publish('last');
    clock.ms += 1_000;
    expect(await claim()).toEqual(['last']);
    watch.rowsRead = 0;
    await publish('next');
    expect(await claim()).toEqual(['next']);
    // Far fewer than the hundred that have expired.
    expect(watch.rowsRead).toBeLessThan(20);
    // The attempts in flight: `first`, `last` and `next`.
    expect((await deliveries.stats()).pending).toBe(3);
  });

  it('does not count an expired retry as pending', async () => {
    const { register, publish, claim, deliveries } = fixture();
    await register('w1');
    await publish('m1', { retentionMs: 10_000 });
    const { attempts } = await deliveries.claim(CLAIM);
    await deliveries.complete(
      attempts.map((attempt) => failedEnd(attempt, 'retry')),
      LIMITS,
    );
    expect((await deliveries.stats()).pending).toBe(1);
    clock.ms += 60_000;
    await claim();
    expect((await deliveries.stats()).pending).toBe(0);
  });

  it('releases the permit of an attempt whose message has expired', async () => {
    const { register, publish, claim } = fixture();
    await register('w1');
    await publish('short', { retentionMs: 1_000 });
    await claim({ maxInFlightPerAccount: 1 });
    await publish('long');
    clock.ms += CLAIM.leaseMs;
    expect(await claim({ maxInFlightPerAccount: 1 })).toEqual(['long']);
  });

  it('shows a new webhook no deliveries of a removed webhook with the same id', async () => {
    const { webhooks, deliveries, register, publish, claim } = fixture();
    const ref = { accountId: 1, webhookId: 'w1' };
    await register('w1');
    await publish('old');
    await publish('in-flight');
    const { attempts } = await deliveries.claim({ ...CLAIM, limit: 1 });
    await webhooks.remove(ref);
    await register('w1');
    expect(await deliveries.list(ref, { limit: 10, after: null })).toEqual([]);
    expect(await deliveries.redeliver({ ...ref, deliveryId: 'old' })).toEqual({
      outcome: 'unknown',
    });
    const ends = attempts.map((attempt) => failedEnd(attempt));
    expect(await deliveries.complete(ends, LIMITS)).toEqual([{ outcome: 'stale' }]);
    clock.ms += CLAIM.leaseMs;
    expect(await claim()).toEqual([]);
    expect(await deliveries.stats()).toEqual({ pending: 0, oldestDueAgeMs: 0 });
  });

  it('completes attempts of twenty accounts in at most four parallel transactions', async () => {
    const { deliveries, register, publish, watch } = fixture();
    for (let accountId = 1; accountId <= 20; accountId += 1) {
      await register('w1', accountId);
      await publish('m1', { accountId });
    }
    const claimed: ClaimedAttempt[] = [];
    // On a busy machine, the first claim ends before it has reached all accounts.
    while (claimed.length < 20) claimed.push(...(await deliveries.claim(CLAIM)).attempts);
    const ends = claimed.map((attempt) => failedEnd(attempt));
    watch.mostInProgress = 0;
    const completed = await deliveries.complete(ends, LIMITS);
    expect(completed).toEqual(ends.map(() => ({ outcome: 'completed', disabled: null })));
    expect(completed).toHaveLength(20);
    expect(watch.mostInProgress).toBe(4);
  });

  it('writes fewer rows in a transaction than the 100 that DynamoDB allows, with 100 attempts in flight', async () => {
    const { deliveries, register, publish, watch } = fixture();
    for (let i = 0; i < 10; i += 1) await register(`w${i}`);
    for (let i = 0; i < 10; i += 1) await publish(`m${i}`);
    const request = { ...CLAIM, maxInFlightPerAccount: 100 };
    const claimed: ClaimedAttempt[] = [];
    while (claimed.length < 100) claimed.push(...(await deliveries.claim(request)).attempts);
    watch.mostRowsWritten = 0;
    const halfOfEnds = claimed.slice(0, 50).map((attempt) => failedEnd(attempt));
    await deliveries.complete(halfOfEnds, LIMITS);
    clock.ms += CLAIM.leaseMs;
    const reclaimed = new Set<string>();
    while (reclaimed.size < 50) {
      for (const { webhookId, deliveryId } of (await deliveries.claim(request)).attempts) {
        reclaimed.add(`${webhookId} ${deliveryId}`);
      }
    }
    expect(watch.mostRowsWritten).toBeLessThan(90);
  });

  it('writes fewer rows for a message than the 100 that DynamoDB allows, after maxQueued was lowered for 20 webhooks', async () => {
    const { deliveries, register, publish, watch } = fixture();
    for (let i = 0; i < 20; i += 1) await register(`w${i}`);
    for (let i = 0; i < 30; i += 1) await publish(`m${i}`);
    watch.mostRowsWritten = 0;
    for (let i = 0; i < 20; i += 1) await publish(`n${i}`, { maxQueued: 10 });
    expect(watch.mostRowsWritten).toBeLessThan(90);
    expect((await deliveries.stats()).pending).toBe(20 * 10);
  });

  it('reports attempts of a failing account as unavailable, and completes all others', async () => {
    const { deliveries, register, publish, watch } = fixture();
    const partitions: string[] = [];
    for (const accountId of [1, 2]) {
      await register('w1', accountId);
      partitions.push(watch.partitions.at(-1) ?? '');
      await publish('m1', { accountId });
    }
    const { attempts } = await deliveries.claim(CLAIM);
    const ends = attempts.map((attempt) => failedEnd(attempt));
    const [firstPartition = '', secondPartition = ''] = partitions;
    watch.failing.add(secondPartition);
    expect(await deliveries.complete(ends, LIMITS)).toEqual([
      { outcome: 'completed', disabled: null },
      { outcome: 'unavailable', error: new Error('deadlock detected') },
    ]);
    watch.failing.add(firstPartition);
    const completion = deliveries.complete(ends, LIMITS);
    await expect(completion).rejects.toThrow('deadlock detected');
    watch.failing.clear();
    expect(await deliveries.complete(ends, LIMITS)).toEqual([
      { outcome: 'stale' },
      { outcome: 'completed', disabled: null },
    ]);
  });

  it('returns the attempts that a claim has already leased if the next account fails', async () => {
    const { deliveries, register, publish, watch } = fixture();
    for (const accountId of [1, 2]) {
      await register('w1', accountId);
      await publish('m1', { accountId });
      clock.ms += 1;
    }
    const secondPartition = watch.partitions.at(-1) ?? '';
    watch.failing.add(secondPartition);
    const { attempts, nextInMs } = await deliveries.claim(CLAIM);
    expect(attempts.map(({ accountId }) => accountId)).toEqual([1]);
    expect(nextInMs).toBe(0);
    await expect(deliveries.claim(CLAIM)).rejects.toThrow('deadlock detected');
    watch.failing.clear();
    expect((await deliveries.claim(CLAIM)).attempts).toHaveLength(1);
  });

  it('returns the attempts that a claim has already leased if the search for more accounts fails', async () => {
    const { register, publish, claim, deliveries, watch } = fixture();
    await register('w1');
    watch.failingIndex = 'account-saved';
    await expect(deliveries.claim(CLAIM)).rejects.toThrow('connection lost');
    await publish('m1');
    expect(await claim()).toEqual(['m1']);
  });

  it('notifies subscribers of capped deliveries only when the end of an attempt lets them start', async () => {
    const { register, publish, deliveries } = fixture();
    await register('w1');
    for (const id of ['m1', 'm2']) await publish(id);
    const { attempts } = await deliveries.claim({ ...CLAIM, maxInFlightPerWebhook: 1 });
    const onDue = vi.fn();
    await deliveries.subscribe?.(onDue);
    await publish('m3');
    expect(onDue).not.toHaveBeenCalled();
    await deliveries.complete(
      attempts.map((attempt) => failedEnd(attempt)),
      LIMITS,
    );
    expect(onDue).toHaveBeenCalledTimes(1);
    const uncappedClaim = await deliveries.claim(CLAIM);
    // The end of the last attempts notifies nobody, because nothing waits.
    await deliveries.complete(
      uncappedClaim.attempts.map((attempt) => failedEnd(attempt)),
      LIMITS,
    );
    expect(onDue).toHaveBeenCalledTimes(1);
  });

  it('opens no transaction for a claim if no account has anything to send', async () => {
    const { webhooks, deliveries, register, publish, claim, watch } = fixture();
    await register('w1');
    await publish('m1');
    await webhooks.remove({ accountId: 1, webhookId: 'w1' });
    await claim();
    watch.partitions.length = 0;
    expect(await deliveries.claim(CLAIM)).toEqual({ attempts: [], poisoned: [], nextInMs: null });
    expect(watch.partitions).toEqual([]);
  });
});
