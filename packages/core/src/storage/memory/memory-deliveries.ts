import type { Clock } from '../../ports/clock.ts';
import { startOver } from '../decisions/end-of-attempt.ts';
import { waitingInQueue } from '../decisions/queue-state.ts';
import type { DeliveryStore, QueueStats } from '../delivery-store.ts';
import type { DueNotifier } from '../engine/webhooks/due-notifier.ts';
import { listedDelivery } from '../engine/webhooks/list-deliveries.ts';
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
  /** The time of a call, which first deletes what has expired. */
  const openedAtMs = (): number => {
    const nowMs = clock.nowMs();
    queues.deleteExpired(nowMs);
    return nowMs;
  };

  const enqueueAgain = (delivery: MemoryDelivery, nowMs: number): void => {
    queues.forgetDelivered(delivery);
    delivery.progress = startOver(delivery.progress);
    queues.scheduleRetry(delivery, nowMs, nowMs);
  };

  return {
    async publish(message) {
      const { published, isDue } = publishInMemory(queues, message, openedAtMs());
      if (isDue) notifier.notify();
      return published;
    },

    claim: async (request) =>
      claimInMemory(queues, request, { nowMs: openedAtMs(), wallClockMs: wallClock.nowMs() }),

    async complete(ends, limits) {
      const nowMs = openedAtMs();
      const completed = ends.map((end) => completeInMemory(queues, end, limits, nowMs));
      // A claim that ran before may have found no permit for deliveries that wait.
      if (queues.webhooksDue(nowMs, 1).length > 0) notifier.notify();
      return completed;
    },

    async redeliver(ref) {
      const nowMs = openedAtMs();
      const delivery = queues.delivery(ref, nowMs);
      if (delivery === null) return { outcome: 'unknown' };
      const { wait } = delivery;
      const isAwaitingRetry = wait?.for === 'retry' && wait.atMs !== null && wait.atMs > nowMs;
      if (wait !== null && !isAwaitingRetry) return { outcome: 'under_way' };
      enqueueAgain(delivery, nowMs);
      notifier.notify();
      return { outcome: 'due' };
    },

    async redeliverFailed(ref, { sinceMs, limit }) {
      const nowMs = openedAtMs();
      const webhook = queues.webhook(ref);
      if (webhook === undefined) return null;
      const failed = [...webhook.deliveries.values()].filter(
        ({ progress, createdAtMs }) => progress.state === 'failed' && createdAtMs >= sinceMs,
      );
      const redelivered = failed.slice(0, limit);
      for (const delivery of redelivered) enqueueAgain(delivery, nowMs);
      if (redelivered.length > 0) notifier.notify();
      return { count: redelivered.length, more: failed.length > redelivered.length };
    },

    async list(ref, { limit, after }) {
      const nowMs = openedAtMs();
      const webhook = queues.webhook(ref);
      if (webhook === undefined) return null;
      return [...webhook.deliveries.values()]
        .filter(({ sequence }) => sequence < (after ?? Infinity))
        .filter(({ expiresAtMs }) => nowMs < expiresAtMs)
        .slice(-limit)
        .reverse()
        .map((delivery) => listedDelivery(delivery, webhook.record));
    },

    async stats(): Promise<QueueStats> {
      const nowMs = openedAtMs();
      const [longestDue] = queues.webhooksDue(nowMs, 1);
      let pending = 0;
      for (const { inFlight, webhooks } of queues.accounts) {
        pending += inFlight;
        for (const { record, queue } of webhooks.values())
          if (record.disabledAtMs === null) pending += waitingInQueue(queue);
      }
      return { pending, oldestDueAgeMs: nowMs - (longestDue?.place ?? nowMs) };
    },

    subscribe: (onDue) => notifier.subscribe(onDue),
  };
}
