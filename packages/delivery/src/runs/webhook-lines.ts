import { AsyncResource } from 'node:async_hooks';
import type { Clock } from '@latchhook/core';
import { monotonicMs, type Timers } from '@latchhook/core/delivery';
import { Fifo } from './fifo.ts';

/** For how long a line may hold a delivery that is due, ms: less than the grace of sweeps, or they would find it. */
const HOLD_MS = 4_000;
/** Longer only where all that it holds would have begun within so many times that, at its last pace. */
const MAX_HOLDS = 7;
/** How many begin without room in one turn of the event loop, some three milliseconds: others have to go on too. */
const BEGUN_TOGETHER = 500;

/** Who waits in a line, or may. */
export interface Waiter {
  readonly webhookId: string;
  /** By the monotonic clock, ms. None in the line begins before it, nor any that came later. */
  dueAtMs: number;
  /** Set by the lines alone. */
  isInLine: boolean;
}

/** What the lines are made with. */
export interface WebhookLinesRules<W extends Waiter> {
  /** How many attempts of one webhook the store admits at a time. */
  readonly room: number;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Called when the turn of one that waits in line has come: it has entered. */
  readonly begin: (waiter: W) => void;
}

interface Line<W> {
  readonly webhookId: string;
  /** How many have entered and not left. */
  entered: number;
  /** How many have left since it was last looked at. */
  left: number;
  waiting: number;
  /** Those that wait, in order, and those that have entered beside the line meanwhile. */
  waiters: Fifo<W>;
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
export class WebhookLines<W extends Waiter> {
  readonly #rules: WebhookLinesRules<W>;
  /** By webhook, while something of it has entered or waits. */
  readonly #lines = new Map<string, Line<W>>();
  /** In the async context of whoever made this: a line outlives the request that published the first of it. */
  readonly #after = AsyncResource.bind((delayMs: number, run: () => void) =>
    this.#rules.timers.after(delayMs, run),
  );

  constructor(rules: WebhookLinesRules<W>) {
    this.#rules = rules;
  }

  /** Waits in line; begins at once where nobody does, it is due, and there is room. */
  join(waiter: W): void {
    const line = this.#open(waiter.webhookId);
    waiter.isInLine = true;
    line.waiters.add(waiter);
    line.waiting += 1;
    if (line.waiting > 1) return;
    this.#advance(line);
    if (line.waiting > 0) this.#lookLater(line);
  }

  /** Enters beside the line, or out of it, whether or not there is room. */
  enter(waiter: W): void {
    const line = this.#open(waiter.webhookId);
    if (waiter.isInLine) line.waiting -= 1;
    waiter.isInLine = false;
    line.entered += 1;
  }

  /** To be called once for each that has entered: its attempt was sent, or there was none. */
  leave(webhookId: string): void {
    const line = this.#open(webhookId);
    line.entered -= 1;
    line.left += 1;
    this.#advance(line);
  }

  /** Has who waits in line begin at another time, unless others before it begin later. */
  move(waiter: W, dueAtMs: number): void {
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
  #advance(line: Line<W>, room = this.#rules.room): void {
    if (line.waiting > 0) this.#beginDue(line, room);
    if (line.entered > 0 || line.waiting > 0) return;
    this.#stopTimers(line);
    this.#lines.delete(line.webhookId);
  }

  #beginDue(line: Line<W>, room: number): void {
    const nowMs = monotonicMs(this.#rules.clock);
    let first = firstInLine(line);
    while (first !== undefined && line.entered < room) {
      if (first.dueAtMs > nowMs) {
        this.#advanceLater(line, first.dueAtMs - nowMs);
        return;
      }
      line.waiters.take();
      line.waiting -= 1;
      first.isInLine = false;
      line.entered += 1;
      this.#rules.begin(first);
      first = firstInLine(line);
    }
  }

  #advanceLater(line: Line<W>, delayMs: number): void {
    line.cancelDue ??= this.#after(Math.ceil(delayMs), () => {
      line.cancelDue = null;
      this.#advance(line);
    });
  }

  #lookLater(line: Line<W>): void {
    line.cancelLook();
    line.left = 0;
    line.cancelLook = this.#after(HOLD_MS, () => {
      if (line.waiting > line.left * MAX_HOLDS) this.#letGo(line);
      else if (line.waiting > 0) this.#lookLater(line);
    });
  }

  /** Has all begin that are due, in parts. */
  #letGo(line: Line<W>): void {
    const before = line.entered;
    this.#advance(line, before + BEGUN_TOGETHER);
    if (line.waiting === 0) return;
    if (line.entered < before + BEGUN_TOGETHER) this.#lookLater(line);
    else line.cancelLook = this.#after(1, () => this.#letGo(line));
  }

  #open(webhookId: string): Line<W> {
    const known = this.#lines.get(webhookId);
    if (known !== undefined) return known;
    const line: Line<W> = {
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

  #stopTimers(line: Line<W>): void {
    line.cancelLook();
    line.cancelDue?.();
    line.cancelDue = null;
  }
}

function firstInLine<W extends Waiter>({ waiters }: Line<W>): W | undefined {
  while (waiters.first?.isInLine === false) waiters.take();
  return waiters.first;
}
