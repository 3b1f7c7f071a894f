import { expect, it, onTestFinished, vi } from 'vitest';
import { StorageUnavailableError } from '../../../errors.ts';
import { systemClock } from '../../../ports/clock.ts';
import { memoryEngine } from '../memory-engine.ts';
import type { StorageEngine } from '../storage-engine.ts';
import { storageOn } from '../storage-on.ts';
import { CLAIM, newMessage, newWebhook } from './delivery-samples.test.support.ts';

/** An engine whose transactions begin only once `release` is called, if `isHeld`. */
function heldEngine() {
  const inner = memoryEngine(systemClock);
  const transactions: Promise<unknown>[] = [];
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const held = { isHeld: false, release, ended: () => Promise.allSettled(transactions) };
  const engine: StorageEngine = {
    name: inner.name,
    now: () => inner.now(),
    find: (...args) => inner.find(...args),
    async transact(partition, work) {
      if (held.isHeld) await released;
      const transaction = inner.transact(partition, work);
      transactions.push(Promise.resolve(transaction));
      return transaction;
    },
  };
  return { engine, held };
}

it('a claim that was rejected at its deadline leases nothing afterwards', async () => {
  const { engine, held } = heldEngine();
  const { webhooks, deliveries } = storageOn(engine, { deadlineMs: 50 });
  await webhooks.create(newWebhook('w1'), { maxPerAccount: 10 });
  await deliveries.publish(newMessage('m1'));
  held.isHeld = true;
  await expect(deliveries.claim(CLAIM)).rejects.toThrow(StorageUnavailableError);
  held.isHeld = false;
  held.release();
  await held.ended();
  const { attempts } = await deliveries.claim(CLAIM);
  expect(attempts).toMatchObject([{ deliveryId: 'm1', attempt: 1 }]);
});

// Four accounts are claimed in parallel. After 50 ms, a claim that has attempts goes on to no others.
it.each([
  { transactionMs: 1, first: 6, second: 0 },
  { transactionMs: 20, first: 4, second: 2 },
])(
  'of two claims whose transactions take $transactionMs ms each, the first leases $first attempts, and the second $second',
  async (given) => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const inner = memoryEngine(systemClock);
    const engine: StorageEngine = {
      name: inner.name,
      now: () => inner.now(),
      find: (...args) => inner.find(...args),
      transact(partition, work) {
        vi.advanceTimersByTime(given.transactionMs);
        return inner.transact(partition, work);
      },
    };
    const { webhooks, deliveries } = storageOn(engine, { deadlineMs: 1_000 });
    for (let accountId = 1; accountId <= 6; accountId += 1) {
      await webhooks.create(newWebhook(`w${accountId}`, accountId), { maxPerAccount: 10 });
      await deliveries.publish(newMessage(`m${accountId}`, { accountId }));
    }
    const first = await deliveries.claim(CLAIM);
    expect(first.attempts).toHaveLength(given.first);
    expect(first.nextInMs === 0).toBe(given.second > 0);
    const second = await deliveries.claim(CLAIM);
    expect(second.attempts).toHaveLength(given.second);
  },
);
