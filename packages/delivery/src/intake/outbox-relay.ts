import {
  type DeliveryContext,
  type DeliveryQueue,
  reportExpired,
  type Timers,
} from '@latchhook/core/delivery';
import type { DeliveryRef, Outbox, WebhookRef } from '@latchhook/core/storage';
import { type FaultReporter, isReported } from '../fault-reporter.ts';
import { jittered } from '../jittered.ts';
import { unrefTimers } from '../unref-timers.ts';

const DEFAULT_INTERVAL_MS = 5_000;
/** Messages that one call takes. */
const PAGE_SIZE = 100;

/** How a relay looks for what has committed. */
export interface RelayOptions {
  /** How often it looks even if no commit was notified, ms. Default: 5,000, give or take a fifth. */
  readonly intervalMs?: number;
  /** Default: Node's own, which do not keep the process alive. */
  readonly timers?: Timers;
  /** From 0 up to 1. Default: `Math.random`. */
  readonly random?: () => number;
}

/** What a relay calls. */
export interface RelayCallbacks {
  readonly emit: DeliveryContext['emit'];
  readonly report: FaultReporter;
  /** Has the head of a backlog ask whose oldest deliveries expired: see `rescheduleHead`. */
  readonly rescheduleHead: (webhook: WebhookRef) => Promise<void>;
}

/** A relay at work. */
export interface Relay {
  /** Ends it; settles when no call is pending any more. */
  stop(): Promise<void>;
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
export function startOutboxRelay(
  outbox: Outbox,
  queue: Pick<DeliveryQueue, 'enqueue'>,
  { emit, report, rescheduleHead }: RelayCallbacks,
  options: RelayOptions = {},
): Relay {
  const { intervalMs = DEFAULT_INTERVAL_MS } = options;
  const { timers = unrefTimers, random = Math.random } = options;
  let isStopped = false;
  let isAskedAgain = false;
  let taking: Promise<void> | null = null;
  let cancel = (): void => {};

  async function takeAll(): Promise<void> {
    do {
      isAskedAgain = false;
      const { taken, more } = await outbox.takeCommitted({ limit: PAGE_SIZE });
      const expired = taken.flatMap((message) => ('expired' in message ? message.expired : []));
      reportExpired(expired, emit);
      const scheduled = taken.flatMap((message) =>
        'scheduled' in message ? message.scheduled : [],
      );
      if (scheduled.length > 0) await queue.enqueue(scheduled);
      for (const webhook of webhooksOf(expired)) await rescheduleHead(webhook);
      if (more) isAskedAgain = true;
    } while (isAskedAgain && !isStopped);
  }

  function wake(): void {
    if (isStopped) return;
    // A pending call may not see what has committed since it began.
    isAskedAgain = true;
    taking ??= takeAll()
      .catch((error) => {
        // Left to the next look: asking again at once would never pause while the store is unavailable.
        isAskedAgain = false;
        if (!isReported(error)) report(error);
      })
      .finally(() => {
        taking = null;
        // A commit was notified between the last look and now.
        if (isAskedAgain) wake();
      });
  }

  function set(): void {
    cancel = timers.after(jittered(intervalMs, random), () => {
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

/** Each webhook once, by its id, which is random. */
function webhooksOf(deliveries: readonly DeliveryRef[]): Iterable<WebhookRef> {
  return new Map(deliveries.map((delivery) => [delivery.webhookId, delivery])).values();
}
