import { AuthError, type SecurityEvent } from '@latchhook/core';
import { type PublishOutcome, StorageUnavailableError } from '@latchhook/core/storage';
import { vi } from 'vitest';
import { scheduled } from '../runs/scripted-deps.test.support.ts';
import { startOutboxRelay } from './outbox-relay.ts';

/** A relay over an outbox that holds so many messages, of which it gives so many at a time. */
export function relayOver(waiting: string[], perCall = 100) {
  const enqueued: string[] = [];
  const events: SecurityEvent[] = [];
  const reported: unknown[] = [];
  const rescheduled: string[] = [];
  const seen = {
    asked: 0,
    limit: 0,
    isWatched: true,
    isUnavailable: false,
    isBroken: false,
    isQueueUnavailable: false,
    rescheduling: 0,
    mostRescheduling: 0,
  };
  let answering: Promise<unknown> = Promise.resolve();
  let rescheduling: Promise<unknown> = Promise.resolve();
  let notify = (): void => {};
  const relay = startOutboxRelay({
    outbox: {
      publishWithin: unasked,
      countPending: unasked,
      lagMs: unasked,
      async takeCommitted({ limit }) {
        seen.asked += 1;
        seen.limit = limit;
        await answering;
        // As the guarded store refuses, which has reported it.
        if (seen.isUnavailable) throw new AuthError('temporarily_unavailable', 'Come back later.');
        if (seen.isBroken) throw new TypeError('a bug');
        const taken = waiting.splice(0, perCall).map(published);
        return { taken, more: waiting.length > 0 };
      },
      watch(onCommit) {
        notify = onCommit;
        return async () => {
          seen.isWatched = false;
        };
      },
    },
    queue: {
      async enqueue(found) {
        // As a queue refuses, which has reported it.
        if (seen.isQueueUnavailable) throw new StorageUnavailableError('the queue is unavailable');
        enqueued.push(...found.map(({ deliveryId }) => deliveryId));
      },
    },
    emit: (event) => void events.push(event),
    report: (error) => void reported.push(error),
    async rescheduleHead({ webhookId }) {
      seen.rescheduling += 1;
      seen.mostRescheduling = Math.max(seen.mostRescheduling, seen.rescheduling);
      await rescheduling;
      seen.rescheduling -= 1;
      if (webhookId === BROKEN) throw new TypeError('a bug');
      rescheduled.push(webhookId);
    },
    random: () => 0.5,
  });
  /** Has the store answer no call before this is called again. */
  function hold(): () => void {
    let letGo = (): void => {};
    answering = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    return () => letGo();
  }
  /** Has no backlog rescheduled before this is called again. */
  function holdRescheduling(): () => void {
    let letGo = (): void => {};
    rescheduling = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    return () => letGo();
  }
  const holds = { hold, holdRescheduling };
  return {
    ...relay,
    ...holds,
    enqueued,
    events,
    reported,
    rescheduled,
    seen,
    commit: () => notify(),
  };
}

function unasked(): Promise<never> {
  return Promise.reject(new Error('no relay asks for this'));
}

/** A webhook whose backlog cannot be rescheduled, by a bug. */
const BROKEN = 'wh_broken';

function published(messageId: string): PublishOutcome {
  const expired = messageId === 'msg_late' ? [scheduled('msg_0')] : [];
  if (messageId === 'msg_broken') expired.push({ ...scheduled('msg_0'), webhookId: BROKEN });
  const found = [scheduled(messageId)];
  return { outcome: 'published', messageId, deliveries: 1, scheduled: found, expired };
}

/** Lets what needs no time happen. */
export const settled = () => vi.advanceTimersByTimeAsync(0);
