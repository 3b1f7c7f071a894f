import type { Clock } from '../../ports/clock.ts';
import { startOver } from '../decisions/end-of-attempt.ts';
import { waitingInQueue } from '../decisions/queue-state.ts';
import { isAwaitingRetry, listedDelivery } from '../decisions/queued-delivery.ts';
import type { CompletedAttempt, DeliveryStore, QueueStats } from '../delivery-store.ts';
import type { DueNotifier } from '../due-notifier.ts';
import { claimInMemory } from './claim-in-memory.ts';
import { completeInMemory } from './complete-in-memory.ts';
import type { MemoryQueues } from './memory-queues.ts';
import type { MemoryDelivery } from './memory-records.ts';
import { publishInMemory } from './publish-in-memory.ts';

/**
 * Deliveries in memory, by the same decisions as on an engine. They change objects in place: as rows of an engine, they
 * would cost several times as much as sending them does.
 *
 * Atomicity: no method awaits anything.
 *
 * @param clocks - `wallClock`: for the times of claims
 */
export function memoryDeliveries(
  queues: MemoryQueues,
  notifier: DueNotifier,
  { clock, wallClock }: { readonly clock: Clock; readonly wallClock: Clock },
): DeliveryStore {
  /** Begins a call: deletes what has expired, and returns the time. */
  const beginCall = (): number => {
    const nowMs = clock.nowMs();
    queues.deleteExpired(nowMs);
    return nowMs;
  };

  const enqueueAgain = (delivery: MemoryDelivery, nowMs: number): void =>
    queues.startAgain(delivery, startOver(delivery.progress), nowMs);

  return {
    async publish(message) {
      const { published, isDue } = publishInMemory(queues, message, beginCall());
      if (isDue) notifier.notify();
      return published;
    },

    claim: async (request) =>
      claimInMemory(queues, request, { nowMs: beginCall(), wallClockMs: wallClock.nowMs() }),

    async complete(ends, limits) {
      const nowMs = beginCall();
      const completed = ends.map((end): CompletedAttempt => {
        try {
          return completeInMemory(queues, end, limits, nowMs);
        } catch (error) {
          return { outcome: 'unavailable', error };
        }
      });
      // A claim that ran before may have found no permit for deliveries that wait.
      if (queues.webhooksDue(nowMs, 1).length > 0) notifier.notify();
      const [first] = completed;
      const hasFailed = completed.every(({ outcome }) => outcome === 'unavailable');
      if (first?.outcome === 'unavailable' && hasFailed) throw first.error;
      return completed;
    },

    async redeliver(ref) {
      const nowMs = beginCall();
      const delivery = queues.accounts.delivery(ref, nowMs);
      if (delivery === null) return { outcome: 'unknown' };
      if (delivery.wait !== null && !isAwaitingRetry(delivery, nowMs))
        return { outcome: 'under_way' };
      enqueueAgain(delivery, nowMs);
      notifier.notify();
      return { outcome: 'due' };
    },

    async redeliverFailed(ref, { sinceMs, limit }) {
      const nowMs = beginCall();
      const webhook = queues.accounts.webhook(ref);
      if (webhook === undefined) return null;
      const failed = webhook.failed.range(sinceMs, undefined, limit + 1);
      const redelivered = failed.slice(0, limit);
      for (const { delivery } of redelivered) enqueueAgain(delivery, nowMs);
      if (redelivered.length > 0) notifier.notify();
      return { count: redelivered.length, more: failed.length > redelivered.length };
    },

    async list(ref, { limit, after }) {
      const nowMs = beginCall();
      const webhook = queues.accounts.webhook(ref);
      if (webhook === undefined) return null;
      const listed: MemoryDelivery[] = [];
      // The log is sorted by the negative sequence: after the delivery at `-after`, the next sort key is `1 - after`.
      for (let from = after === null ? -Infinity : 1 - after; listed.length < limit; ) {
        const read = webhook.log.range(from, undefined, limit);
        // A delivery in flight is kept after its expiry.
        listed.push(...read.filter(({ expiresAtMs }) => nowMs < expiresAtMs));
        const last = read.at(-1);
        if (last === undefined) break;
        from = 1 - last.sequence;
      }
      const isDisabled = webhook.record.disabledAtMs !== null;
      return listed.slice(0, limit).map((delivery) => listedDelivery(delivery, isDisabled));
    },

    async stats(): Promise<QueueStats> {
      const nowMs = beginCall();
      const [longestDue] = queues.webhooksDue(nowMs, 1);
      let pending = 0;
      for (const { record, queue } of queues.webhooks.values())
        pending += queue.inFlight + (record.disabledAtMs === null ? waitingInQueue(queue) : 0);
      return { pending, oldestDueAgeMs: nowMs - (longestDue?.sortKey ?? nowMs) };
    },

    subscribe: (onDue) => notifier.subscribe(onDue),
  };
}
