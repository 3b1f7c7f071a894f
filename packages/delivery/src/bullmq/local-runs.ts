import { AsyncResource } from 'node:async_hooks';
import { monotonicMs } from '@latchhook/core/delivery';
import type { ScheduledDelivery } from '@latchhook/core/storage';
import { Fifo } from '../runs/fifo.ts';
import { nameOfRun } from '../runs/name-of-run.ts';
import type { RunDeps } from '../runs/run-delivery.ts';
import { runWithShortWaits } from '../runs/run-with-short-waits.ts';
import { type InLine, WebhookLines } from '../runs/webhook-lines.ts';
import { RefusedRuns } from './refused-runs.ts';

/** Hands deliveries that were taken here to the queue after all. */
export type PutBack = (deliveries: readonly ScheduledDelivery[]) => Promise<void>;

/**
 * How many deliveries may wait here, at some 570 bytes each; any more go to the queue (ADR 55). Through it one costs
 * Redis twice as much, and is asked for too early, while what was published before it is still here.
 */
const MAX_WAITING = 100_000;
/** What is due within this time, ms, waits here too: as a job, it would be asked for too early or late (ADR 56). */
const MAX_DELAY_MS = 2_000;
/** How many are put back together as this closes. Each part has a deadline, which all at once would not keep. */
const PUT_BACK_TOGETHER = 1_000;

/** A delivery that waits here: first in the line of its webhook, then for room, then for a slot of its account. */
interface Waiting extends InLine {
  readonly delivery: ScheduledDelivery;
  /** `nothing`: it was begun, or left to the queue. */
  waitsFor: 'line' | 'room' | 'slot' | 'nothing';
}

/**
 * Runs that this process begins by itself, beside the queue: what it has published and what is due, those of a webhook
 * in order, as far as there is room. Through the queue, that would cost two round trips and some milliseconds for
 * nothing. The store has the delivery already; if this process dies, a sweep of another finds it, like anything that a
 * queue has lost.
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
  /** By name. */
  readonly #waiting = new Map<string, Waiting>();
  readonly #lines: WebhookLines<Waiting>;
  /** Waiting for room, in order, and those that have been woken meanwhile. */
  readonly #awaitingRoom = new Fifo<Waiting>();
  readonly #refused: RefusedRuns;
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
    this.#refused = new RefusedRuns(deps.timers, (delivery) => void this.take(delivery));
    this.#lines = new WebhookLines({
      room: deps.context.policy.maxInFlightPerWebhook,
      clock: deps.context.clock,
      timers: deps.timers,
      begin: (waiting) => this.#leaveLine(waiting),
    });
  }

  /** Takes a delivery over if it is due soon and there is room for it to wait; answers whether it is here. */
  take(delivery: ScheduledDelivery): boolean {
    if (this.#isClosed || delivery.delayMs > MAX_DELAY_MS) return false;
    const name = nameOfRun(delivery);
    if (this.#notEnded.has(name)) return true;
    if (this.#waiting.size >= MAX_WAITING) return false;
    this.#notEnded.set(name, 1);
    this.#lines.join(this.#addWaiting(name, delivery));
    return true;
  }

  /**
   * Has a delivery that waits here wait for another time; answers whether it does. Once its time has come, it begins as
   * soon as it can, whatever the queue says.
   */
  reschedule(delivery: ScheduledDelivery): boolean {
    const waiting = this.#waiting.get(nameOfRun(delivery));
    if (waiting === undefined) return false;
    // Later than that it is left as it is: it asks too early, and the store says when its turn is.
    if (waiting.waitsFor === 'line' && delivery.delayMs <= MAX_DELAY_MS) {
      this.#lines.move(waiting, this.#dueAtMs(delivery));
    }
    return true;
  }

  /**
   * Begins the delivery that an attempt, here or in the queue's worker, has woken; answers whether it did, or waits for
   * it already. The queue cannot: it may be about to put that very delivery back.
   */
  wake(delivery: ScheduledDelivery): boolean {
    if (this.#isClosed || this.#sending >= this.#width * 2) return false;
    const name = nameOfRun(delivery);
    const waiting = this.#waiting.get(name) ?? this.#addWoken(name, delivery);
    // A late delivery is woken again and again, but must wait for a slot only once.
    if (waiting.waitsFor === 'slot') return true;
    if (waiting.waitsFor === 'line') this.#lines.enter(delivery.webhookId);
    this.#awaitSlot(waiting);
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
    const left = [...this.#waiting.values()];
    for (const waiting of left) waiting.waitsFor = 'nothing';
    this.#waiting.clear();
    this.#lines.close();
    this.#refused.close();
    await Promise.all([
      ...this.#running,
      worker.then(() => this.#leaveInParts(left.map(({ delivery }) => delivery))),
    ]);
  }

  /** Not while the store is so slow that as many wait for their end to be stored as may be sent. */
  #hasRoom(): boolean {
    return this.#sending < this.#width && this.#running.size < this.#width * 2;
  }

  #addWaiting(name: string, delivery: ScheduledDelivery): Waiting {
    const { webhookId } = delivery;
    const dueAtMs = this.#dueAtMs(delivery);
    const waiting: Waiting = { delivery, webhookId, dueAtMs, waitsFor: 'line' };
    this.#waiting.set(name, waiting);
    return waiting;
  }

  /** One that was not waiting: it is in the queue, or running already. */
  #addWoken(name: string, delivery: ScheduledDelivery): Waiting {
    this.#notEnded.set(name, (this.#notEnded.get(name) ?? 0) + 1);
    return this.#addWaiting(name, delivery);
  }

  #dueAtMs({ delayMs }: ScheduledDelivery): number {
    return delayMs <= 0 ? 0 : monotonicMs(this.#deps.context.clock) + delayMs;
  }

  /** Not, where it was woken or `close` has left it to the queue meanwhile. */
  #leaveLine(waiting: Waiting): boolean {
    if (waiting.waitsFor !== 'line') return false;
    waiting.waitsFor = 'room';
    this.#awaitingRoom.add(waiting);
    this.#beginNext();
    return true;
  }

  #beginNext(): void {
    while (!this.#awaitingRoom.isEmpty && this.#hasRoom()) {
      const next = this.#awaitingRoom.take();
      if (next?.waitsFor === 'room') this.#awaitSlot(next);
    }
  }

  #awaitSlot(waiting: Waiting): void {
    const { slots } = this.#deps;
    const { accountId } = waiting.delivery;
    if (slots.tryAcquire(accountId)) {
      this.#run(waiting);
      return;
    }
    waiting.waitsFor = 'slot';
    slots.whenFree(accountId, () => {
      if (waiting.waitsFor !== 'slot') return false;
      this.#run(waiting);
      return true;
    });
  }

  #run(waiting: Waiting): void {
    const { delivery, webhookId } = waiting;
    const name = nameOfRun(delivery);
    waiting.waitsFor = 'nothing';
    this.#waiting.delete(name);
    let isSending = true;
    const noteSent = (): void => {
      if (isSending) {
        isSending = false;
        this.#sending -= 1;
        this.#lines.leave(webhookId);
      }
      this.#beginNext();
    };
    this.#sending += 1;
    const ended: Promise<void> = this.#sendApart(delivery, noteSent).finally(() => {
      this.#running.delete(ended);
      this.#noteEnd(name);
      noteSent();
    });
    this.#running.add(ended);
  }

  #noteEnd(name: string): void {
    const left = (this.#notEnded.get(name) ?? 1) - 1;
    if (left === 0) this.#notEnded.delete(name);
    else this.#notEnded.set(name, left);
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
      for (const delivery of deliveries) this.#refused.keep(delivery);
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
}
