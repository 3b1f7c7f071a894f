import { AsyncResource } from 'node:async_hooks';
import { type DeliveryQueue, monotonicMs } from '@latchhook/core/delivery';
import type { ScheduledDelivery } from '@latchhook/core/storage';
import type { Background } from '../intake/repeat.ts';
import { startIntake } from '../intake/start-intake.ts';
import type { ResolvedSweep } from '../intake/sweep-options.ts';
import { jittered } from '../jittered.ts';
import type { DeliveryRun } from '../runs/name-of-run.ts';
import { LONGEST_DELAY_MS } from '../runs/queue-delay.ts';
import { type DeliveryStep, type RunDeps, runDelivery } from '../runs/run-delivery.ts';
import { waitAtMostLease } from '../runs/wait-at-most-lease.ts';
import { DueHeap, type DueItem } from './due-heap.ts';
import { RunIndex } from './run-index.ts';

/** The pause before a run that threw, by a bug of ours, is begun again, ms. */
const BUG_PAUSE_MS = 30_000;

interface Entry extends DueItem {
  readonly run: DeliveryRun;
  /** It was handed over again while it ran: its webhook may have been enabled since the store was asked. */
  isAskedAgain: boolean;
  /** It was woken while it ran, and must not wait by an older answer of the store. */
  isNext: boolean;
}

/**
 * Runs by due time in the memory of this process, on one timer. Nothing here waits for anything but the runs
 * themselves: one that ends makes room for the next within the same turn of the event loop. Deliveries that were handed
 * over together begin together, in a microtask.
 */
export class InProcessQueue implements DeliveryQueue {
  readonly #deps: RunDeps;
  readonly #concurrency: number;
  readonly #intake: Background;
  readonly #due = new DueHeap<Entry>();
  /** All runs that were taken over and have not ended. */
  readonly #entries = new RunIndex<Entry>();
  #order = 0;
  #running = 0;
  /** Those that count as running already, and begin in the next microtask. */
  #beginning: Entry[] = [];
  /** In the async context of whoever made the queue: what begins together was published by several requests. */
  readonly #runTogether = AsyncResource.bind(() => {
    const entries = this.#beginning;
    this.#beginning = [];
    for (const entry of entries) this.#run(entry);
  });
  /** When the timer fires; `null` while none is set. */
  #timerAtMs: number | null = null;
  #cancelTimer = (): void => {};
  #closed: Promise<void> | null = null;
  /** It is closing, and its intake has stopped: it takes nothing any more, and begins nothing. */
  #isOver = false;
  #onIdle = (): void => {};

  constructor(
    deps: Omit<RunDeps, 'startNext'>,
    options: { readonly concurrency: number; readonly sweep: ResolvedSweep },
  ) {
    this.#deps = { ...deps, startNext: (delivery) => this.#startNext(delivery) };
    this.#concurrency = options.concurrency;
    this.#intake = startIntake(deps, this, options.sweep);
  }

  /** Takes them synchronously. Once it is over it takes nothing: a durable store hands them to the next process. */
  enqueue(deliveries: readonly ScheduledDelivery[]): void {
    const nowMs = this.#nowMs();
    for (const delivery of deliveries) this.#take(delivery, nowMs);
    this.#setTimer(nowMs);
  }

  /**
   * No other way is needed: nothing is held here until its webhook has room. What may not start is parked by the store
   * and makes way, so what comes behind it waits for no one.
   */
  takeLost(deliveries: readonly ScheduledDelivery[]): void {
    this.enqueue(deliveries);
  }

  /** Also takes those that it does not know: another process may have them, and does not learn the new delay. */
  async reschedule(deliveries: readonly ScheduledDelivery[]): Promise<void> {
    const nowMs = this.#nowMs();
    for (const delivery of deliveries) {
      const entry = this.#entries.find(delivery);
      if (entry === undefined) this.#take(delivery, nowMs);
      else this.#due.move(entry, this.#dueAtMs(nowMs, delivery.delayMs));
    }
    this.#beginDue();
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    // What the intake finds meanwhile is begun as ever: the store has put it off, and nobody else finds it for a while.
    await this.#intake.stop();
    this.#isOver = true;
    this.#cancelTimer();
    if (this.#running > 0) await waitAtMostLease(this.#deps, this.#untilIdle());
    await this.#deps.sender.close();
  }

  #untilIdle(): Promise<void> {
    return new Promise((resolve) => {
      this.#onIdle = resolve;
    });
  }

  #take(delivery: ScheduledDelivery, nowMs: number): void {
    if (this.#isOver) return;
    const known = this.#entries.find(delivery);
    if (known !== undefined) {
      if (known.heapIndex === null) known.isAskedAgain = true;
      return;
    }
    this.#order += 1;
    const entry: Entry = {
      run: delivery,
      dueAtMs: this.#dueAtMs(nowMs, delivery.delayMs),
      order: this.#order,
      heapIndex: null,
      isAskedAgain: false,
      isNext: false,
    };
    this.#entries.add(entry);
    // In the usual case it is due and there is room, and the heap is never touched.
    if (delivery.delayMs <= 0 && this.#hasRoom() && !this.#isDue(nowMs)) this.#begin(entry);
    else this.#due.add(entry);
  }

  #startNext(delivery: ScheduledDelivery): void {
    const nowMs = this.#nowMs();
    const entry = this.#entries.find(delivery);
    if (entry === undefined) this.#take(delivery, nowMs);
    else if (entry.heapIndex === null) entry.isNext = true;
    else this.#due.move(entry, this.#dueAtMs(nowMs, delivery.delayMs));
    // At once: the attempt that woke it may be in flight for long.
    if (!this.#isOver) this.#beginDue();
  }

  #hasRoom(): boolean {
    return this.#running < this.#concurrency && !this.#isOver;
  }

  #isDue(nowMs: number): boolean {
    const next = this.#due.peek();
    return next !== undefined && next.dueAtMs <= nowMs;
  }

  /** Begins it now, or as soon as its account has a slot; while it waits for that, it takes no room from others. */
  #begin(entry: Entry): void {
    const { slots } = this.#deps;
    const { accountId } = entry.run;
    if (slots.tryAcquire(accountId)) {
      this.#runSoon(entry);
      return;
    }
    slots.whenFree(accountId, () => {
      if (this.#isOver) return false;
      this.#runSoon(entry);
      return true;
    });
  }

  #runSoon(entry: Entry): void {
    this.#running += 1;
    // By a promise: a test that stops the clock may have stopped `queueMicrotask` too.
    if (this.#beginning.push(entry) === 1) void Promise.resolve().then(this.#runTogether);
  }

  #run(entry: Entry): void {
    entry.isAskedAgain = false;
    entry.isNext = false;
    runDelivery(this.#deps, entry.run).then(
      (step) => this.#end(entry, step),
      (error) => {
        this.#deps.report(error);
        this.#end(entry, { outcome: 'wait', delayMs: BUG_PAUSE_MS });
      },
    );
  }

  #end(entry: Entry, step: DeliveryStep): void {
    this.#running -= 1;
    if ('delayMs' in step || entry.isAskedAgain) {
      const waits = 'delayMs' in step && !entry.isNext;
      entry.dueAtMs = this.#dueAtMs(this.#nowMs(), waits ? step.delayMs : 0);
      this.#due.add(entry);
    } else {
      this.#entries.delete(entry);
    }
    if (!this.#isOver) this.#beginDue();
    else if (this.#running === 0) this.#onIdle();
  }

  #beginDue(): void {
    if (this.#due.size === 0) return;
    const nowMs = this.#nowMs();
    while (this.#hasRoom() && this.#isDue(nowMs)) {
      const entry = this.#due.take();
      if (entry !== undefined) this.#begin(entry);
    }
    this.#setTimer(nowMs);
  }

  /**
   * Sets the timer to the earliest due time, unless it fires by then anyway. Without room, it is for `#end` to go on.
   */
  #setTimer(nowMs: number): void {
    const next = this.#due.peek();
    if (next === undefined || !this.#hasRoom()) return;
    if (this.#timerAtMs !== null && this.#timerAtMs <= next.dueAtMs) return;
    this.#cancelTimer();
    const delayMs = Math.max(Math.ceil(next.dueAtMs - nowMs), 1);
    this.#timerAtMs = next.dueAtMs;
    this.#cancelTimer = this.#deps.timers.after(delayMs, () => {
      this.#timerAtMs = null;
      this.#beginDue();
    });
  }

  /**
   * What is due in more than an hour asks the store in about an hour, since the engine does not learn that a webhook
   * was removed. Not all of it at once: a backlog that was handed over together would hold up the process.
   */
  #dueAtMs(nowMs: number, delayMs: number): number {
    if (delayMs <= LONGEST_DELAY_MS) return nowMs + delayMs;
    return nowMs + Math.min(delayMs, jittered(LONGEST_DELAY_MS, this.#deps.random));
  }

  #nowMs(): number {
    return monotonicMs(this.#deps.context.clock);
  }
}
