import { memoryStorage } from '@latchhook/core';
import type { Timers } from '@latchhook/core/delivery';
import type { ClaimedAttempt, Outbox, QueueStats } from '@latchhook/core/storage';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebhookConnection } from '../fixtures/webhook-fixture.ts';
import { startFakeReceiver } from '../receiver/start-fake-receiver.ts';
import { attemptEnd, COMPLETE, DELIVERED, EXHAUSTED, retryIn } from '../samples/attempt-samples.ts';
import { newMessage } from '../samples/webhook-samples.ts';
import { openReference } from '../self-test/reference.ts';
import { turnableClock } from './turnable-clock.ts';
import { virtualTime } from './virtual-time.ts';
import { watchAttempts } from './watch-attempts.ts';

const HOUR_MS = 3_600_000;
/** The delays between the tries of a delivery, without jitter. */
const DELAYS_MS = [5_000, 300_000, ...[0.5, 2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS)];
const DEADLINE_MS = 15_000;
/** More than the timers, which take at least 1 ms each, add to the schedule. */
const TIMER_DELAYS_MS = 100;

/** A minimal worker: claims when the store says so, sends by `fetch`, gives up at a deadline. */
async function work(host: WebhookConnection, timers: Timers): Promise<void> {
  const { attempts, nextInMs } = await host.claimOnce();
  await Promise.all(attempts.map((attempt) => send(attempt, host, timers)));
  const waitMs = attempts.length > 0 ? 0 : nextInMs;
  if (waitMs !== null) timers.after(waitMs, () => void work(host, timers));
}

async function send(
  attempt: ClaimedAttempt,
  host: WebhookConnection,
  timers: Timers,
): Promise<void> {
  const { webhook, body, failures } = attempt;
  const deadline = new AbortController();
  const cancelDeadline = timers.after(DEADLINE_MS, () => deadline.abort());
  const isDelivered = await fetch(webhook.url, {
    method: 'POST',
    body,
    signal: deadline.signal,
  }).then(
    (response) => response.ok,
    () => false,
  );
  cancelDeadline();
  const delayMs = DELAYS_MS[failures];
  const failure = delayMs === undefined ? EXHAUSTED : retryIn(delayMs);
  await host.complete([attempt], isDelivered ? DELIVERED : failure);
}

describe('watchAttempts', () => {
  it('runs 75 hours of retries on a real socket in virtual time', async () => {
    const time = virtualTime();
    const { clock, timers } = time;
    const receiver = await startFakeReceiver({ answers: ['reset', 'hang', 500], clock, timers });
    onTestFinished(() => receiver.close());
    const { webhooks, deliveries } = memoryStorage({ clock });
    const watched = watchAttempts(deliveries);
    const host = new WebhookConnection({ webhooks, ...watched });
    time.holdWhile(() => watched.unsettled() !== receiver.held());

    await host.register('w1', { url: receiver.url });
    const beganAtMs = clock.nowMs();
    await host.publishOne('m1');
    void work(host, timers);
    await time.runUntil(async () => (await deliveries.stats()).pending === 0);

    expect(receiver.received()).toHaveLength(DELAYS_MS.length + 1);
    const tookMs = clock.nowMs() - beganAtMs;
    // The second attempt waits for its deadline.
    const scheduledMs = DELAYS_MS.reduce((sum, delayMs) => sum + delayMs, DEADLINE_MS);
    expect(tookMs).toBeGreaterThanOrEqual(scheduledMs);
    expect(tookMs).toBeLessThan(scheduledMs + TIMER_DELAYS_MS);
  });

  it('counts an attempt as unsettled from claim to completion', async () => {
    const { webhooks, deliveries } = openReference(turnableClock());
    const watched = watchAttempts(deliveries);
    const host = new WebhookConnection({ webhooks, ...watched });
    await host.register('w1');
    await host.register('w2');
    await host.publishOne('m1');
    const { attempts } = await host.claimOnce();
    expect(watched.unsettled()).toBe(2);
    await host.complete(attempts.slice(0, 1), DELIVERED);
    expect(watched.unsettled()).toBe(1);
    await host.complete(attempts.slice(1), retryIn(1));
    expect(watched.unsettled()).toBe(0);
  });

  it('counts an attempt as settled if the store rejects its completion', async () => {
    const { webhooks, deliveries } = openReference(turnableClock());
    const failure = new Error('the store is away');
    const watched = watchAttempts({ ...deliveries, complete: () => Promise.reject(failure) });
    const host = new WebhookConnection({ webhooks, ...watched });
    await host.register('w1');
    await host.publishOne('m1');
    const attempt = await host.claimSingle();
    await expect(host.complete([attempt], DELIVERED)).rejects.toBe(failure);
    expect(watched.unsettled()).toBe(0);
  });

  it('counts one attempt of a delivery as unsettled after a lost lease, and none after poison', async () => {
    const clock = turnableClock();
    const { webhooks, deliveries } = memoryStorage({ clock });
    const watched = watchAttempts(deliveries);
    const host = new WebhookConnection({ webhooks, ...watched });
    await host.register('w1');
    await host.publishOne('m1');
    const limits = { leaseMs: 1000, maxStalledAttempts: 2 };
    const lost = await host.claimSingle(limits);
    clock.advance(1000);
    await host.claimSingle(limits);
    expect(watched.unsettled()).toBe(1);
    // From the sender whose lease expired.
    await watched.deliveries.complete([attemptEnd(lost, DELIVERED)], COMPLETE);
    expect(watched.unsettled()).toBe(1);
    clock.advance(1000);
    expect((await host.claimOnce(limits)).poisoned).toHaveLength(1);
    expect(watched.unsettled()).toBe(0);
  });

  it('counts a pending call of the store as unsettled', async () => {
    const { deliveries } = openReference(turnableClock());
    const emptyQueue: QueueStats = { pending: 0, oldestDueAgeMs: 0 };
    let resolveStats = (_stats: QueueStats) => {};
    const stats = () =>
      new Promise<QueueStats>((resolve) => {
        resolveStats = resolve;
      });
    const watched = watchAttempts({ ...deliveries, stats });
    const pendingCall = watched.deliveries.stats();
    expect(watched.unsettled()).toBe(1);
    resolveStats(emptyQueue);
    expect(await pendingCall).toBe(emptyQueue);
    expect(watched.unsettled()).toBe(0);
  });

  it('counts a pending call of the outbox as unsettled, if the store has one', async () => {
    const { deliveries } = openReference(turnableClock());
    expect(watchAttempts(deliveries).deliveries.outbox).toBeUndefined();
    const published = { outcome: 'published', messageId: 'm1', deliveries: 1 } as const;
    const outbox: Outbox = { publishWithin: async () => published };
    const watched = watchAttempts({ ...deliveries, outbox });
    const tx = { query: () => Promise.reject(new Error('nothing is queried')) };
    const call = watched.deliveries.outbox?.publishWithin(tx, newMessage('m1'));
    expect(watched.unsettled()).toBe(1);
    expect(await call).toEqual(published);
    expect(watched.unsettled()).toBe(0);
  });

  it('leaves subscribe() unchanged', async () => {
    const { subscribe, ...deliveries } = openReference(turnableClock()).deliveries;
    expect(watchAttempts(deliveries).deliveries.subscribe).toBeUndefined();
    const listeners = new Set<() => void>();
    const end = async () => {};
    const watched = watchAttempts({
      ...deliveries,
      subscribe: (onDue) => {
        listeners.add(onDue);
        return end;
      },
    });
    const onDue = () => {};
    expect(watched.deliveries.subscribe?.(onDue)).toBe(end);
    expect([...listeners]).toEqual([onDue]);
    expect(watched.unsettled()).toBe(0);
  });
});
