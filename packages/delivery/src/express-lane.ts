import { AsyncResource } from 'node:async_hooks';
import type { ScheduledDelivery } from '@latchhook/core';
import { nameOfRun } from './name-of-run.ts';
import { LONGEST_SLEEP_MS } from './queue-delay.ts';
import type { RunParts } from './run-delivery.ts';
import { runWithShortWaits } from './run-with-short-waits.ts';

/** What becomes of deliveries that were taken here and are for the queue after all. */
export type PutBack = (deliveries: readonly ScheduledDelivery[]) => Promise<void>;

/**
 * So many deliveries may wait for room here: what is more goes to whoever has it. And so many that the queue could not
 * take may wait for their time: what is more is left to a sweep.
 */
const MAX_WAITING = 10_000;
/** What the queue could not take is asked for no sooner than that, ms. */
const KEPT_AT_LEAST_MS = 1_000;

/**
 * Sends what this process has published and is due, in order, where it finds room: a queue would cost it two
 * round trips and some milliseconds, and nothing is gained by it. The store has the delivery already; if this
 * process dies, a sweep of another finds it late, as it finds whatever a queue has lost.
 */
export class ExpressLane {
  readonly #parts: RunParts;
  readonly #width: number;
  readonly #putBack: PutBack;
  /** What was taken and has not ended, by name: a sweep finds it again, for as long as it waits for room here. */
  readonly #taken = new Set<string>();
  readonly #underWay = new Set<Promise<void>>();
  /** For room, by name, in the order in which they came, which is that of a map. */
  readonly #waiting = new Map<string, ScheduledDelivery>();
  /** For a place of their account, by name. */
  readonly #inLine = new Map<string, ScheduledDelivery>();
  /** For their time, since the queue could not take them, by name: what ends the wait. */
  readonly #kept = new Map<string, () => void>();
  #isClosed = false;
  /** In the context of whoever made the lane: an attempt belongs to none of the requests that published it. */
  readonly #sendApart = AsyncResource.bind((delivery: ScheduledDelivery) => this.#send(delivery));

  /** @param width - attempts that may be under way at a time */
  constructor(parts: RunParts, width: number, putBack: PutBack) {
    this.#parts = parts;
    this.#width = width;
    this.#putBack = putBack;
  }

  /** Takes the delivery over if it is due and there is room; answers whether it is here. */
  take(delivery: ScheduledDelivery): boolean {
    if (this.#isClosed || delivery.delayMs > 0) return false;
    const name = nameOfRun(delivery);
    if (this.#taken.has(name)) return true;
    if (this.#waiting.size + this.#inLine.size >= MAX_WAITING) return false;
    this.#taken.add(name);
    if (this.#underWay.size < this.#width) this.#begin(delivery);
    else this.#waiting.set(name, delivery);
    return true;
  }

  /** Whether the delivery stands here, for room or for a place: it begins as soon as it can, whatever the queue has. */
  isWaiting(delivery: ScheduledDelivery): boolean {
    const name = nameOfRun(delivery);
    return this.#waiting.has(name) || this.#inLine.has(name);
  }

  /**
   * Begins a delivery in the place that an attempt has just left, here or in the queue's worker; answers whether
   * it did. The queue could not do it: it may be about to put that very delivery to sleep.
   */
  follow(delivery: ScheduledDelivery): boolean {
    if (this.#isClosed || this.#underWay.size >= this.#width * 2) return false;
    const name = nameOfRun(delivery);
    // Whoever is late is named again and again, and would be in that line as often.
    if (this.#inLine.has(name)) return true;
    this.#taken.add(name);
    this.#waiting.delete(name);
    this.#begin(delivery);
    return true;
  }

  /**
   * Takes no more, and settles when all that was begun has ended.
   *
   * @param worker - ends when this process's worker does: what waits is left to the queue then, and not before,
   * or that worker would begin it
   */
  async close(worker: Promise<void> = Promise.resolve()): Promise<void> {
    this.#isClosed = true;
    const left = [...this.#waiting.values(), ...this.#inLine.values()];
    this.#waiting.clear();
    this.#inLine.clear();
    for (const cancel of this.#kept.values()) cancel();
    await Promise.all([...this.#underWay, worker.then(() => this.#leave(left))]);
  }

  #begin(delivery: ScheduledDelivery): void {
    const { places } = this.#parts;
    if (places.enter(delivery.accountId)) {
      this.#run(delivery);
      return;
    }
    const name = nameOfRun(delivery);
    this.#inLine.set(name, delivery);
    places.lineUp(delivery.accountId, () => {
      // Left to the queue meanwhile, where it was not there any more.
      if (!this.#inLine.delete(name)) return false;
      this.#run(delivery);
      return true;
    });
  }

  #run(delivery: ScheduledDelivery): void {
    const sent: Promise<void> = this.#sendApart(delivery).finally(() => {
      this.#underWay.delete(sent);
      this.#taken.delete(nameOfRun(delivery));
      this.#beginNext();
    });
    this.#underWay.add(sent);
  }

  #beginNext(): void {
    for (const [name, next] of this.#waiting) {
      if (this.#underWay.size >= this.#width) return;
      this.#waiting.delete(name);
      this.#begin(next);
    }
  }

  async #send(delivery: ScheduledDelivery): Promise<void> {
    try {
      const step = await runWithShortWaits(this.#parts, delivery);
      if (step.next === 'again') await this.#leave([{ ...delivery, delayMs: step.delayMs }]);
    } catch (error) {
      this.#parts.report(error);
    }
  }

  async #leave(deliveries: readonly ScheduledDelivery[]): Promise<void> {
    if (deliveries.length === 0) return;
    try {
      await this.#putBack(deliveries);
    } catch {
      // The queue has told of it.
      for (const delivery of deliveries) this.#keep(delivery);
    }
  }

  /**
   * A sweep would find it, but late: others of its webhook may sleep until it has been sent. A `reschedule` does not reach
   * what is kept.
   */
  #keep(delivery: ScheduledDelivery): void {
    if (this.#isClosed || this.#kept.size >= MAX_WAITING) return;
    const name = nameOfRun(delivery);
    const delayMs = Math.max(delivery.delayMs, KEPT_AT_LEAST_MS);
    this.#kept.get(name)?.();
    const cancel = this.#parts.timers.after(Math.min(delayMs, LONGEST_SLEEP_MS), () => {
      this.#kept.delete(name);
      this.take({ ...delivery, delayMs: 0 });
    });
    this.#kept.set(name, cancel);
  }
}
