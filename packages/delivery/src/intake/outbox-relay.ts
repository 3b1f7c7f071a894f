import {
  type DeliveryContext,
  type DeliveryQueue,
  type PublishedDeliveries,
  settlePublished,
} from '@latchhook/core/delivery';
import type { Outbox, PublishOutcome, WebhookRef } from '@latchhook/core/storage';
import { type FaultReporter, isReported } from '../fault-reporter.ts';
import { jittered } from '../jittered.ts';
import { unrefTimers } from '../unref-timers.ts';
import type { Background } from './repeat.ts';

/** How often a relay looks even if no commit was notified, ms, give or take a fifth. */
const INTERVAL_MS = 5_000;
/** Messages that one call takes. */
const PAGE_SIZE = 100;

/** What a relay works with. */
export interface RelayDeps {
  readonly outbox: Outbox;
  readonly queue: Pick<DeliveryQueue, 'enqueue'>;
  readonly emit: DeliveryContext['emit'];
  readonly report: FaultReporter;
  /** Has the head of a backlog ask whose oldest deliveries expired: see `rescheduleHead` of core. */
  readonly rescheduleHead: (webhook: WebhookRef) => Promise<void>;
  /** From 0 up to 1. */
  readonly random: () => number;
}

/**
 * Takes what was published within transactions of the host's, once they have committed, and hands it to the
 * engine: as soon as the store notifies of a commit, and now and then in any case, since it may notify nobody.
 *
 * What it has taken is stored like anything that was published without a transaction. If this process dies before its
 * engine has it, it is late, and the sweeper of another process finds it.
 *
 * Concurrency: every process that sends has one. The store lets one of them take at a time.
 */
export function startOutboxRelay(deps: RelayDeps): Background {
  const { outbox, queue, emit, random } = deps;
  let isStopped = false;
  let isAskedAgain = false;
  let taking: Promise<void> | null = null;
  let cancel = (): void => {};

  function report(error: unknown): void {
    if (!isReported(error)) deps.report(error);
  }

  async function takeAll(): Promise<void> {
    do {
      isAskedAgain = false;
      const { taken, more } = await outbox.takeCommitted({ limit: PAGE_SIZE });
      await settle(taken);
      if (more) isAskedAgain = true;
    } while (isAskedAgain && !isStopped);
  }

  /** Rejects where the engine does not take what was taken. No call is pending by then. */
  async function settle(taken: readonly PublishOutcome[]): Promise<void> {
    // One after the other: hundreds at once would hold all connections of a store that the app's logins share.
    let rescheduling = Promise.resolve();
    try {
      await settlePublished(together(taken), {
        emit,
        enqueue: (deliveries) => queue.enqueue(deliveries),
        rescheduleHead(webhook) {
          rescheduling = rescheduling.then(() => deps.rescheduleHead(webhook)).catch(report);
        },
      });
    } finally {
      await rescheduling;
    }
  }

  function wake(): void {
    if (isStopped) return;
    // A pending call may not see what has committed since it began.
    isAskedAgain = true;
    taking ??= takeAll()
      .catch((error) => {
        // Left to the next look: asking again at once would never pause while store or queue is unavailable.
        isAskedAgain = false;
        report(error);
      })
      .finally(() => {
        taking = null;
        // A commit was notified between the last look and now.
        if (isAskedAgain) wake();
      });
  }

  function set(): void {
    cancel = unrefTimers.after(jittered(INTERVAL_MS, random), () => {
      wake();
      set();
    });
  }

  const unwatch = outbox.watch(wake);
  // No notification comes for what committed before this process was there.
  wake();
  set();
  return {
    async stop() {
      isStopped = true;
      cancel();
      await unwatch();
      await taking;
    },
  };
}

/** So that a backlog is rescheduled once, of however many messages something expired by. */
function together(taken: readonly PublishOutcome[]): Required<PublishedDeliveries> {
  return {
    scheduled: taken.flatMap((message) => ('scheduled' in message ? message.scheduled : [])),
    expired: taken.flatMap((message) => ('expired' in message ? message.expired : [])),
  };
}
