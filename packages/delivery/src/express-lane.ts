import type { ScheduledDelivery } from '@latchhook/core';
import type { RunParts } from './run-delivery.ts';
import { runWithShortWaits } from './run-with-short-waits.ts';

/** What becomes of deliveries that were begun here and are to be tried again. */
export type PutBack = (delivery: ScheduledDelivery) => Promise<void>;

/**
 * Sends at once what this process has published, is due, and finds room here: a queue would cost it two round
 * trips and some milliseconds, and nothing is gained by it. The store has the delivery already; if this process
 * dies, a sweep of another finds it late, as it finds whatever a queue has lost.
 */
export class ExpressLane {
  readonly #parts: RunParts;
  readonly #width: number;
  readonly #putBack: PutBack;
  readonly #underWay = new Set<Promise<void>>();
  #isClosed = false;

  /** @param width - attempts that may be under way at a time */
  constructor(parts: RunParts, width: number, putBack: PutBack) {
    this.#parts = parts;
    this.#width = width;
    this.#putBack = putBack;
  }

  /** Begins the delivery, if it is due and there is room; answers whether it did. */
  take(delivery: ScheduledDelivery): boolean {
    if (this.#isClosed || delivery.delayMs > 0 || this.#underWay.size >= this.#width) return false;
    const sent: Promise<void> = this.#send(delivery).finally(() => this.#underWay.delete(sent));
    this.#underWay.add(sent);
    return true;
  }

  /** Takes no more, and settles when all that was begun has ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#underWay);
  }

  /** Never rejects. What fails here is late by then, and found by a sweep. */
  async #send(delivery: ScheduledDelivery): Promise<void> {
    try {
      const step = await runWithShortWaits(this.#parts, delivery);
      if (step.next === 'again') await this.#putBack({ ...delivery, delayMs: step.delayMs });
    } catch (error) {
      this.#parts.report(error);
    }
  }
}
