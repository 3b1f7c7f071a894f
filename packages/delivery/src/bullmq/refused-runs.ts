import type { Timers } from '@latchhook/core/delivery';
import type { ScheduledDelivery } from '@latchhook/core/storage';
import { nameOfRun } from '../runs/name-of-run.ts';
import { LONGEST_DELAY_MS } from '../runs/queue-delay.ts';

/** How many may wait here for their time; any more are left to a sweep. */
const MAX_REFUSED = 10_000;
/** The shortest wait, ms. */
const MIN_WAIT_MS = 1_000;

/**
 * Deliveries that the queue did not take back. Each is kept here until it is due: a sweep would find it too, but later,
 * and others of its webhook may be parked until it has been sent. A `reschedule` does not reach what is kept.
 */
export class RefusedRuns {
  readonly #timers: Timers;
  readonly #take: (delivery: ScheduledDelivery) => void;
  /** By name, what cancels the timer. */
  readonly #kept = new Map<string, () => void>();
  #isClosed = false;

  /** @param take - is given each when it is due */
  constructor(timers: Timers, take: (delivery: ScheduledDelivery) => void) {
    this.#timers = timers;
    this.#take = take;
  }

  keep(delivery: ScheduledDelivery): void {
    if (this.#isClosed || this.#kept.size >= MAX_REFUSED) return;
    const name = nameOfRun(delivery);
    const delayMs = Math.max(delivery.delayMs, MIN_WAIT_MS);
    this.#kept.get(name)?.();
    const cancel = this.#timers.after(Math.min(delayMs, LONGEST_DELAY_MS), () => {
      this.#kept.delete(name);
      this.#take({ ...delivery, delayMs: 0 });
    });
    this.#kept.set(name, cancel);
  }

  /** Forgets all that are kept, and keeps no more. */
  close(): void {
    this.#isClosed = true;
    for (const cancel of this.#kept.values()) cancel();
  }
}
