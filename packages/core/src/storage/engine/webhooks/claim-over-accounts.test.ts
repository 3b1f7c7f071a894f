import { expect, it } from 'vitest';
import { systemClock } from '../../../ports/clock.ts';
import type { ClaimedAttempt } from '../../delivery-store.ts';
import { memoryEngine } from '../memory-engine.ts';
import type { StorageEngine } from '../storage-engine.ts';
import { storageOn } from '../storage-on.ts';

const CLAIM = {
  ...{ limit: 10, leaseMs: 20_000, rateMarginMs: 0, maxStalledAttempts: 5 },
  ...{ maxInFlightPerWebhook: 10, maxInFlightPerAccount: 10 },
};
const LIMITS = { disableAfterMs: 1e9 };

/** An engine whose next transaction fails before it commits, or whose reply is lost. */
function failingEngine() {
  const inner = memoryEngine(systemClock);
  const failing: { next: 'before_commit' | 'after_commit' | null } = { next: null };
  const engine: StorageEngine = {
    name: inner.name,
    now: () => inner.now(),
    find: (...args) => inner.find(...args),
    async transact(partition, work) {
      const { next } = failing;
      failing.next = null;
      const result = await inner.transact(partition, async (rows, nowMs) => {
        const changes = await work(rows, nowMs);
        if (next === 'before_commit') throw new Error('deadlock detected');
        return changes;
      });
      if (next === 'after_commit') throw new Error('connection lost');
      return result;
    },
  };
  return { engine, failing };
}

it.each(['before_commit', 'after_commit'] as const)(
  'a claim that fails %s passes on its attempts, which count as not started once completed so',
  async (next) => {
    const { engine, failing } = failingEngine();
    const { webhooks, deliveries } = storageOn(engine);
    await webhooks.create(
      {
        ...{ accountId: 1, webhookId: 'w1', event: 'A.B', url: 'https://receiver.example/' },
        ...{ rateLimit: 5_000, rateLimitPeriod: 'second', encryptedSecret: 'encrypted' },
      },
      { maxPerAccount: 10 },
    );
    await deliveries.publish({
      ...{ accountId: 1, messageId: 'm1', event: 'A.B', body: '{}', webhookId: null },
      ...{ idempotencyKey: null, idempotencyMs: 1_000, retentionMs: 3_600_000, maxQueued: 5_000 },
    });
    const unsent: ClaimedAttempt[] = [];
    failing.next = next;
    const claiming = deliveries.claim({ ...CLAIM, onUnsent: (late) => void unsent.push(...late) });
    await expect(claiming).rejects.toThrow();
    const ends = unsent.map((attempt) => ({
      ...attempt,
      outcome: { kind: 'not_started' } as const,
    }));
    const outcome = next === 'after_commit' ? 'completed' : 'stale';
    expect(await deliveries.complete(ends, LIMITS)).toMatchObject([{ outcome }]);
    const { attempts } = await deliveries.claim(CLAIM);
    expect(attempts).toMatchObject([{ deliveryId: 'm1', attempt: 1 }]);
  },
);
