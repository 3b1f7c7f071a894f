import { AsyncResource } from 'node:async_hooks';
import type { ScheduledDelivery } from '@latchhook/core/storage';
import { nameOfRun } from '../runs/name-of-run.ts';
import { LONGEST_DELAY_MS } from '../runs/queue-delay.ts';
import type { RunDeps } from '../runs/run-delivery.ts';
import { runWithShortWaits } from '../runs/run-with-short-waits.ts';

/** Hands deliveries that were taken here to the queue after all. */
export type PutBack = (deliveries: readonly ScheduledDelivery[]) => Promise<void>;

/**
 * How many deliveries may wait here for room, at some 450 bytes each; any more go to the queue (ADR 55). Through it one
 * costs Redis twice as much, and is asked for too early, while what was published before it is still here.
 */
const MAX_WAITING = 100_000;
/** How many that the queue refused may wait here for their time; any more are left to a sweep. */
const MAX_REFUSED = 10_000;
/** How many are put back together as this closes. Each part has a deadline, which all at once would not keep. */
const PUT_BACK_TOGETHER = 1_000;
/** The shortest wait of what the queue refused, ms. */
const MIN_REFUSED_MS = 1_000;

/**
 * Runs that this process begins by itself, beside the queue: what it has published and what is due, in order and as far
 * as there is room. Through the queue, that would cost two round trips and some milliseconds for nothing. The store has
 * the delivery already; if this process dies, a sweep of another finds it, like anything that a queue has lost.
 */
export class LocalRuns {
  readonly #deps: RunDeps;
  readonly #width: number;
  readonly #putBack: PutBack;
  /**
   * By name, how many runs of what was taken have not ended: a sweep may find it again while it waits here, and one
   * that is woken may be running already.
   */
  readonly #notEnded = new Map<string, number>();
  readonly #running = new Set<Promise<void>>();
  /** How many of these have not sent their attempt. */
  #sending = 0;
  /** Waiting for room, by name, in the order in which they came. */
  readonly #awaitingRoom = new Map<string, ScheduledDelivery>();
  /**
   * One for good: each new one would begin by passing over all that have left. It never ends, as it is asked only while
   * somebody waits, and whom it has passed waits no more.
   */
  readonly #turns = this.#awaitingRoom.entries();
  /** Waiting for a slot of their account, by name. */
  readonly #awaitingSlot = new Map<string, ScheduledDelivery>();
  /** Waiting for their time, as the queue refused them: by name, what cancels the timer. */
  readonly #timersOfRefused = new Map<string, () => void>();
  #isClosed = false;
  /** In the async context of whoever made this: an attempt is no part of the request that published it. */
  readonly #sendApart = AsyncResource.bind((delivery: ScheduledDelivery, onSent: () => void) =>
    this.#send(delivery, onSent),
  );

  /** @param width - most attempts at a time; those that are woken may double it */
  constructor(deps: RunDeps, width: number, putBack: PutBack) {
    this.#deps = deps;
    this.#width = width;
    this.#putBack = putBack;
  }

  /** Takes a delivery over if it is due and there is room for it, at least to wait; answers whether it is here. */
  take(delivery: ScheduledDelivery): boolean {
    if (this.#isClosed || delivery.delayMs > 0) return false;
    const name = nameOfRun(delivery);
    if (this.#notEnded.has(name)) return true;
    if (this.#awaitingRoom.size + this.#awaitingSlot.size >= MAX_WAITING) return false;
    this.#notEnded.set(name, 1);
    if (this.#hasRoom()) this.#begin(delivery);
    else this.#awaitingRoom.set(name, delivery);
    return true;
  }

  /** Whether a delivery waits here, for room or for a slot: it begins as soon as it can, whatever the queue says. */
  isWaiting(delivery: ScheduledDelivery): boolean {
    const name = nameOfRun(delivery);
    return this.#awaitingRoom.has(name) || this.#awaitingSlot.has(name);
  }

  /**
   * Begins the delivery that an attempt, here or in the queue's worker, has woken; answers whether it did, or waits for
   * it already. The queue cannot: it may be about to put that very delivery back.
   */
  wake(delivery: ScheduledDelivery): boolean {
    if (this.#isClosed || this.#sending >= this.#width * 2) return false;
    const name = nameOfRun(delivery);
    // A late delivery is woken again and again, but must wait for a slot only once.
    if (this.#awaitingSlot.has(name)) return true;
    if (!this.#awaitingRoom.delete(name)) {
      this.#notEnded.set(name, (this.#notEnded.get(name) ?? 0) + 1);
    }
    this.#begin(delivery);
    return true;
  }

  /**
   * Takes no more, and settles when all that was begun has ended.
   *
   * @param worker - settles when this process's worker has closed. Only then is what waits left to the queue, or that
   * worker would begin it.
   */
  async close(worker: Promise<void> = Promise.resolve()): Promise<void> {
    this.#isClosed = true;
    const left = [...this.#awaitingRoom.values(), ...this.#awaitingSlot.values()];
    this.#awaitingRoom.clear();
    this.#awaitingSlot.clear();
    for (const cancel of this.#timersOfRefused.values()) cancel();
    await Promise.all([...this.#running, worker.then(() => this.#leaveInParts(left))]);
  }

  /** Not while the store is so slow that as many wait for their end to be stored as may be sent. */
  #hasRoom(): boolean {
    return this.#sending < this.#width && this.#running.size < this.#width * 2;
  }

  #begin(delivery: ScheduledDelivery): void {
    const { slots } = this.#deps;
    if (slots.tryAcquire(delivery.accountId)) {
      this.#run(delivery);
      return;
    }
    const name = nameOfRun(delivery);
    this.#awaitingSlot.set(name, delivery);
    slots.whenFree(delivery.accountId, () => {
      // Not any more, where `close` has left it to the queue meanwhile.
      if (!this.#awaitingSlot.delete(name)) return false;
      this.#run(delivery);
      return true;
    });
  }

  #run(delivery: ScheduledDelivery): void {
    let isSending = true;
    const noteSent = (): void => {
      if (isSending) this.#sending -= 1;
      isSending = false;
      this.#beginNext();
    };
    this.#sending += 1;
    const ended: Promise<void> = this.#sendApart(delivery, noteSent).finally(() => {
      this.#running.delete(ended);
      this.#noteEnd(nameOfRun(delivery));
      noteSent();
    });
    this.#running.add(ended);
  }

  #noteEnd(name: string): void {
    const left = (this.#notEnded.get(name) ?? 1) - 1;
    if (left === 0) this.#notEnded.delete(name);
    else this.#notEnded.set(name, left);
  }

  #beginNext(): void {
    while (this.#awaitingRoom.size > 0 && this.#hasRoom()) {
      const { value } = this.#turns.next();
      if (value === undefined) return;
      const [name, next] = value;
      this.#awaitingRoom.delete(name);
      this.#begin(next);
    }
  }

  async #send(delivery: ScheduledDelivery, onSent: () => void): Promise<void> {
    try {
      const step = await runWithShortWaits(this.#deps, delivery, onSent);
      if ('delayMs' in step) await this.#leave([{ ...delivery, delayMs: step.delayMs }]);
    } catch (error) {
      this.#deps.report(error);
    }
  }

  async #leave(deliveries: readonly ScheduledDelivery[]): Promise<void> {
    if (deliveries.length === 0) return;
    try {
      await this.#putBack(deliveries);
    } catch {
      // The queue has reported it.
      for (const delivery of deliveries) this.#waitHere(delivery);
    }
  }

  async #leaveInParts(deliveries: readonly ScheduledDelivery[]): Promise<void> {
    try {
      for (let from = 0; from < deliveries.length; from += PUT_BACK_TOGETHER) {
        await this.#putBack(deliveries.slice(from, from + PUT_BACK_TOGETHER));
      }
    } catch {
      // The queue has reported it, and would refuse the others too. Sweeps of other processes find them.
    }
  }

  /**
   * Keeps what the queue refused until it is due. A sweep would find it too, but later, and others of its webhook may
   * be parked until it has been sent. A `reschedule` does not reach what is kept.
   */
  #waitHere(delivery: ScheduledDelivery): void {
    if (this.#isClosed || this.#timersOfRefused.size >= MAX_REFUSED) return;
    const name = nameOfRun(delivery);
    const delayMs = Math.max(delivery.delayMs, MIN_REFUSED_MS);
    this.#timersOfRefused.get(name)?.();
    const cancel = this.#deps.timers.after(Math.min(delayMs, LONGEST_DELAY_MS), () => {
      this.#timersOfRefused.delete(name);
      this.take({ ...delivery, delayMs: 0 });
    });
    this.#timersOfRefused.set(name, cancel);
  }
}
