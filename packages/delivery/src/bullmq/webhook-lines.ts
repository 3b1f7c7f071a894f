import { AsyncResource } from 'node:async_hooks';
import type { Clock } from '@latchhook/core';
import { monotonicMs, type Timers } from '@latchhook/core/delivery';
import { DEFAULT_GRACE_MS, DEFAULT_PUT_OFF_MS } from '../intake/sweep-options.ts';
import { Fifo } from '../runs/fifo.ts';

/**
 * For how long a line may hold what is due, ms: a second less than after what sweeps find it. Where the host has chosen
 * a shorter time, they find it here.
 */
const HOLD_MS = DEFAULT_GRACE_MS - 1_000;
/**
 * Longer only where all that it holds would have begun within so many times that, at its last pace: within the time for
 * which sweeps put off what they find meanwhile, unless the host has chosen another.
 */
const MAX_HOLDS = Math.floor(DEFAULT_PUT_OFF_MS / HOLD_MS);
/** How many begin without room in one turn of the event loop, some three milliseconds: others have to go on too. */
const BEGUN_TOGETHER = 500;

/** Who waits in a line, or may. */
export interface Waiter {
  readonly webhookId: string;
  /** By the monotonic clock, ms. It does not begin in turn before it, nor does any behind it. */
  dueAtMs: number;
  /** Made as `new`, and from then on changed by the lines alone. */
  turn: 'new' | 'in_line' | 'entered';
}

/** What the lines are made with. */
export interface WebhookLinesRules<W extends Waiter> {
  /** How many attempts of one webhook the store admits at a time. */
  readonly maxInFlight: number;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Called when the turn of one that waits in line has come: it has entered. */
  readonly begin: (waiter: W) => void;
}

interface Line<W> {
  readonly webhookId: string;
  /** How many have entered and not been released. */
  inUse: number;
  /** How many have been released since it was last looked at. */
  released: number;
  /** How many of the `waiters` are still in line. */
  waiting: number;
  /** In order. */
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
 * A delivery costs constant time, however many wait.
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

  /** Has a new one wait in line; it begins at once where nobody waits, it is due, and there is room. */
  join(waiter: W): void {
    const line = this.#open(waiter.webhookId);
    waiter.turn = 'in_line';
    line.waiters.add(waiter);
    line.waiting += 1;
    if (line.waiting > 1) return;
    this.#advance(line);
    if (line.waiting > 0) this.#lookLater(line);
  }

  /** Has one enter beside the line, or out of it, whether or not there is room. One that has entered stays so. */
  enter(waiter: W): void {
    if (waiter.turn === 'entered') return;
    const line = this.#open(waiter.webhookId);
    if (waiter.turn === 'in_line') line.waiting -= 1;
    waiter.turn = 'entered';
    line.inUse += 1;
  }

  /** To be called once for each that has entered: its attempt was sent, or there was none. */
  release(webhookId: string): void {
    const line = this.#open(webhookId);
    line.inUse -= 1;
    line.released += 1;
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
  #advance(line: Line<W>, most = this.#rules.maxInFlight): void {
    if (line.waiting > 0) this.#beginDue(line, most);
    if (line.inUse > 0 || line.waiting > 0) return;
    this.#stopTimers(line);
    this.#lines.delete(line.webhookId);
  }

  #beginDue(line: Line<W>, most: number): void {
    const nowMs = monotonicMs(this.#rules.clock);
    let first = firstInLine(line);
    while (first !== undefined && line.inUse < most) {
      if (first.dueAtMs > nowMs) {
        this.#advanceLater(line, first.dueAtMs - nowMs);
        return;
      }
      this.enter(first);
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
    line.released = 0;
    line.cancelLook = this.#after(HOLD_MS, () => {
      if (line.waiting > line.released * MAX_HOLDS) this.#letGo(line);
      else if (line.waiting > 0) this.#lookLater(line);
    });
  }

  /** Has all begin that are due, in parts. */
  #letGo(line: Line<W>): void {
    const most = line.inUse + BEGUN_TOGETHER;
    this.#advance(line, most);
    if (line.waiting === 0) return;
    if (line.inUse < most) this.#lookLater(line);
    else line.cancelLook = this.#after(1, () => this.#letGo(line));
  }

  #open(webhookId: string): Line<W> {
    const known = this.#lines.get(webhookId);
    if (known !== undefined) return known;
    const line: Line<W> = {
      webhookId,
      inUse: 0,
      released: 0,
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
  while (waiters.first?.turn === 'entered') waiters.take();
  return waiters.first;
}
