import { AsyncResource } from 'node:async_hooks';
import { monotonicMs } from '@latchhook/core/delivery';
import type { ScheduledDelivery } from '@latchhook/core/storage';
import { Fifo } from '../runs/fifo.ts';
import { nameOfRun } from '../runs/name-of-run.ts';
import type { RunDeps } from '../runs/run-delivery.ts';
import { RefusedRuns } from './refused-runs.ts';
import { retryWhileStoreUnavailable } from './retry-while-store-unavailable.ts';
import { type Waiter, WebhookLines } from './webhook-lines.ts';

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

/** A delivery that waits here. */
interface Waiting extends Waiter {
  readonly delivery: ScheduledDelivery;
  /**
   * For its turn in the line of its webhook, then for room, then for a slot of its account. For `nothing` once it was
   * begun or left to the queue.
   */
  waitsFor: 'turn' | 'room' | 'slot' | 'nothing';
}

/**
 * Runs that this process begins by itself, beside the queue: what it has published and is due soon, those of a webhook
 * in order, as far as there is room. Through the queue, that would cost two round trips and some milliseconds for
 * nothing. The store has the delivery already; if this process dies, a sweep of another finds it, like anything that a
 * queue has lost.
 */
export class LocalRuns {
  readonly #deps: RunDeps;
  readonly #width: number;
  readonly #putBack: PutBack;
  readonly #running = new Set<Promise<void>>();
  /** How many runs have not sent their attempt. */
  #sending = 0;
  /** How many runs each delivery has, by name: one that is woken may be running already. */
  readonly #runsOf = new Map<string, number>();
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
    this.#refused = new RefusedRuns(deps.timers, (delivery) => void this.takeBesideLine(delivery));
    this.#lines = new WebhookLines({
      maxInFlight: deps.context.policy.maxInFlightPerWebhook,
      clock: deps.context.clock,
      timers: deps.timers,
      begin: (waiting) => this.#awaitRoom(waiting),
    });
  }

  /**
   * Takes over what was published, if it is due soon and there is room for it to wait; answers whether it is here. It
   * comes in the line of its webhook.
   */
  take(delivery: ScheduledDelivery): boolean {
    return this.#takeOver(delivery, (waiting) => this.#lines.join(waiting));
  }

  /**
   * The same for what was lost, or refused by the queue. It comes beside the line: the store may have had it start
   * before all that wait there.
   */
  takeBesideLine(delivery: ScheduledDelivery): boolean {
    return this.#takeOver(delivery, (waiting) => {
      this.#lines.enter(waiting);
      this.#awaitRoom(waiting);
    });
  }

  /**
   * Answers whether a delivery waits here, where the queue has no say about it. One that waits for its turn, and is due
   * soon, from now on waits for that time. Any other stays as it is: once its turn has come, it begins as soon as it
   * can; and with a later time, it asks too early, and the store says when to ask again.
   */
  reschedule(delivery: ScheduledDelivery): boolean {
    const waiting = this.#waiting.get(nameOfRun(delivery));
    if (waiting === undefined) return false;
    if (waiting.waitsFor === 'turn' && delivery.delayMs <= MAX_DELAY_MS) {
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
    const waiting = this.#waiting.get(name) ?? this.#addWaiting(name, delivery);
    // A late delivery is woken again and again, but must wait for a slot only once.
    if (waiting.waitsFor === 'slot') return true;
    this.#lines.enter(waiting);
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
    const waiting = [...this.#waiting.values()];
    for (const one of waiting) one.waitsFor = 'nothing';
    this.#waiting.clear();
    this.#lines.close();
    this.#refused.close();
    await Promise.all([
      ...this.#running,
      worker.then(() => this.#leaveInParts(waiting.map((one) => this.#asItIsDue(one)))),
    ]);
  }

  /** Not while the store is so slow that as many wait for their end to be stored as may be sent. */
  #hasRoom(): boolean {
    return this.#sending < this.#width && this.#running.size < this.#width * 2;
  }

  #takeOver(delivery: ScheduledDelivery, place: (waiting: Waiting) => void): boolean {
    if (this.#isClosed || delivery.delayMs > MAX_DELAY_MS) return false;
    const name = nameOfRun(delivery);
    // A sweep may find what is here already.
    if (this.#waiting.has(name) || this.#runsOf.has(name)) return true;
    if (this.#waiting.size >= MAX_WAITING) return false;
    place(this.#addWaiting(name, delivery));
    return true;
  }

  #addWaiting(name: string, delivery: ScheduledDelivery): Waiting {
    const waiting: Waiting = {
      delivery,
      webhookId: delivery.webhookId,
      dueAtMs: this.#dueAtMs(delivery),
      turn: 'new',
      waitsFor: 'turn',
    };
    this.#waiting.set(name, waiting);
    return waiting;
  }

  #dueAtMs({ delayMs }: ScheduledDelivery): number {
    return delayMs <= 0 ? 0 : this.#nowMs() + delayMs;
  }

  #asItIsDue({ delivery, dueAtMs }: Waiting): ScheduledDelivery {
    return { ...delivery, delayMs: Math.max(0, Math.ceil(dueAtMs - this.#nowMs())) };
  }

  #nowMs(): number {
    return monotonicMs(this.#deps.context.clock);
  }

  #awaitRoom(waiting: Waiting): void {
    waiting.waitsFor = 'room';
    this.#awaitingRoom.add(waiting);
    this.#beginNext();
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
        this.#lines.release(webhookId);
      }
      this.#beginNext();
    };
    this.#sending += 1;
    this.#countRuns(name, 1);
    const ended: Promise<void> = this.#sendApart(delivery, noteSent).finally(() => {
      this.#running.delete(ended);
      this.#countRuns(name, -1);
      noteSent();
    });
    this.#running.add(ended);
  }

  #countRuns(name: string, change: 1 | -1): void {
    const count = (this.#runsOf.get(name) ?? 0) + change;
    if (count === 0) this.#runsOf.delete(name);
    else this.#runsOf.set(name, count);
  }

  async #send(delivery: ScheduledDelivery, onSent: () => void): Promise<void> {
    try {
      const isClosing = (): boolean => this.#isClosed;
      const step = await retryWhileStoreUnavailable(this.#deps, delivery, isClosing, onSent);
      if (!('delayMs' in step)) return;
      // Nothing is sent while it is put back, for as long as that may take.
      onSent();
      await this.#leave({ ...delivery, delayMs: step.delayMs });
    } catch (error) {
      this.#deps.report(error);
    }
  }

  async #leave(delivery: ScheduledDelivery): Promise<void> {
    try {
      await this.#putBack([delivery]);
    } catch {
      // The queue has reported it.
      this.#refused.keep(delivery);
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
