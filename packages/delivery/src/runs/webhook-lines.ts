import type { Clock } from '@latchhook/core';
import { monotonicMs, type Timers } from '@latchhook/core/delivery';
import { Fifo } from './fifo.ts';

/** For how long a line may hold a delivery that is due, ms: less than the grace of sweeps, or they would find it. */
const HOLD_MS = 4_000;
/** Longer only where all that it holds would have begun within so many times that, at its last pace. */
const MAX_HOLDS = 7;

/** Who waits in a line. */
export interface InLine {
  readonly webhookId: string;
  /** By the monotonic clock, ms. None begins before it, nor any that came later. */
  dueAtMs: number;
}

/** What the lines are made with. */
export interface WebhookLinesRules<Waiter extends InLine> {
  /** How many attempts of one webhook the store admits at a time. */
  readonly room: number;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Called when it has entered. Answers `false` where it is no longer wanted: its room is free again. */
  readonly begin: (waiter: Waiter) => boolean;
}

interface Line<Waiter> {
  readonly webhookId: string;
  /** How many have entered and not left. */
  entered: number;
  /** How many have left since it was last looked at. */
  left: number;
  waiting: number;
  waiters: Fifo<Waiter>;
  cancelLook: () => void;
  /** While the first is not due: cancels the timer that has it begin. */
  cancelDue: (() => void) | null;
}

/**
 * Has the deliveries of each webhook that this process could begin come in the order in which they came, and no more at
 * a time than there is room for. The store admits so many attempts of one webhook, over all processes, and in order.
 * What asks too early it parks and has woken, which costs several times what a delivery costs otherwise; and of a burst
 * to one webhook, all but the first few would.
 *
 * Where a webhook is slow or hangs, all that are due go on to ask the store after some seconds: parked there, they are
 * not late, and no sweep finds them.
 *
 * Every operation takes constant time, however many wait.
 */
export class WebhookLines<Waiter extends InLine> {
  readonly #rules: WebhookLinesRules<Waiter>;
  /** By webhook, while something of it has entered or waits. */
  readonly #lines = new Map<string, Line<Waiter>>();

  constructor(rules: WebhookLinesRules<Waiter>) {
    this.#rules = rules;
  }

  /** Waits in line; begins at once where nobody does, it is due, and there is room. */
  join(waiter: Waiter): void {
    const line = this.#open(waiter.webhookId);
    line.waiters.add(waiter);
    line.waiting += 1;
    if (line.waiting > 1) return;
    this.#advance(line);
    if (line.waiting > 0) this.#lookLater(line);
  }

  /** Enters beside the line, whether or not there is room: the store has said that there is. */
  enter(webhookId: string): void {
    this.#open(webhookId).entered += 1;
  }

  /** To be called once for each that has entered: its attempt was sent, or there was none. */
  leave(webhookId: string): void {
    const line = this.#open(webhookId);
    line.entered -= 1;
    line.left += 1;
    this.#advance(line);
  }

  /** Has who waits begin at another time, unless others before it begin later. */
  move(waiter: Waiter, dueAtMs: number): void {
    waiter.dueAtMs = dueAtMs;
    const line = this.#open(waiter.webhookId);
    line.cancelDue?.();
    line.cancelDue = null;
    this.#advance(line);
  }

  /** Forgets all that wait. */
  close(): void {
    for (const line of this.#lines.values()) {
      line.waiters = new Fifo();
      line.waiting = 0;
      this.#stopTimers(line);
    }
  }

  /** Begins those whose turn it is. */
  #advance(line: Line<Waiter>, room = this.#rules.room): void {
    if (line.waiting > 0) this.#beginDue(line, room);
    if (line.entered > 0 || line.waiting > 0) return;
    this.#stopTimers(line);
    this.#lines.delete(line.webhookId);
  }

  #beginDue(line: Line<Waiter>, room: number): void {
    const nowMs = monotonicMs(this.#rules.clock);
    let { first } = line.waiters;
    while (first !== undefined && line.entered < room) {
      if (first.dueAtMs > nowMs) {
        this.#advanceLater(line, first.dueAtMs - nowMs);
        return;
      }
      line.waiters.take();
      line.waiting -= 1;
      line.entered += 1;
      if (!this.#rules.begin(first)) line.entered -= 1;
      first = line.waiters.first;
    }
  }

  #advanceLater(line: Line<Waiter>, delayMs: number): void {
    line.cancelDue ??= this.#rules.timers.after(Math.ceil(delayMs), () => {
      line.cancelDue = null;
      this.#advance(line);
    });
  }

  #lookLater(line: Line<Waiter>): void {
    line.cancelLook();
    line.left = 0;
    line.cancelLook = this.#rules.timers.after(HOLD_MS, () => {
      if (line.waiting > line.left * MAX_HOLDS) this.#advance(line, Infinity);
      if (line.waiting > 0) this.#lookLater(line);
    });
  }

  #open(webhookId: string): Line<Waiter> {
    const known = this.#lines.get(webhookId);
    if (known !== undefined) return known;
    const line: Line<Waiter> = {
      webhookId,
      entered: 0,
      left: 0,
      waiting: 0,
      waiters: new Fifo(),
      cancelLook: () => {},
      cancelDue: null,
    };
    this.#lines.set(webhookId, line);
    return line;
  }

  #stopTimers(line: Line<Waiter>): void {
    line.cancelLook();
    line.cancelDue?.();
    line.cancelDue = null;
  }
}
