import { MAX_RATE_LIMIT, RATE_LIMIT_PERIOD_MS } from '../webhook-store.ts';

/** At most `limit` starts in any window. */
export interface Rate {
  readonly limit: number;
  readonly windowMs: number;
}

const MIN_CAPACITY = 16;

/** Longer than any window: the longest period, and more than any margin. */
const KEPT_MS = 2 * RATE_LIMIT_PERIOD_MS.minute;

/**
 * When attempts of one webhook started, and when the next ones may: exact, not an average. A start counts
 * until a whole window has passed since.
 *
 * Starts are not trimmed to the present limit or window: if that were lowered and raised again, or made longer, more
 * would get through than either allows. As many are kept as the highest limit could ask about, at 8 bytes a start.
 */
export class StartTimes {
  /** A ring: the oldest is at `#first`, and the first place follows the last. */
  #times = new Float64Array(MIN_CAPACITY);
  #first = 0;
  #size = 0;
  /** How many of them have left the window. */
  #left = 0;

  /** Notes a start. Times must not go back. */
  add(nowMs: number): void {
    if (this.#size === this.#times.length) this.#resize(2 * this.#size);
    this.#times[this.#place(this.#size)] = nowMs;
    this.#size += 1;
  }

  /** Withdraws a noted start, if it is still kept. Takes time proportional to the starts after it. */
  remove(atMs: number): void {
    let nth = this.#size - 1;
    while (nth >= 0 && this.#at(nth) > atMs) nth -= 1;
    if (nth < 0 || this.#at(nth) !== atMs) return;
    for (; nth < this.#size - 1; nth += 1) this.#times[this.#place(nth)] = this.#at(nth + 1);
    this.#size -= 1;
  }

  /** How many attempts could start now. Below 0 for as long as a lowered limit is exceeded. */
  free(nowMs: number, { limit, windowMs }: Rate): number {
    const untilMs = nowMs - windowMs;
    while (this.#left < this.#size && this.#at(this.#left) <= untilMs) this.#left += 1;
    while (this.#left > 0 && this.#at(this.#left - 1) > untilMs) this.#left -= 1;
    this.#forget(nowMs - KEPT_MS);
    return limit - (this.#size - this.#left);
  }

  /**
   * In how many whole ms an attempt with `rank` others before it may start; 0: now. Neighbouring ranks are
   * `windowMs / limit` apart, so that a backlog does not come back in a block, and none is scheduled for a time at
   * which the window cannot have room yet. Takes O(1), amortised.
   */
  delayMs(rank: number, nowMs: number, rate: Rate): number {
    const free = this.free(nowMs, rate);
    if (rank < free) return 0;
    const spacingMs = rate.windowMs / rate.limit;
    // Waits for starts to leave the window, counting those that may start now as started. If a lowered limit is
    // exceeded, the oldest no longer matter.
    const oldest = this.#left + Math.max(0, -free);
    const newest = oldest + rate.limit - 1;
    const waiting = rank - Math.max(0, free);
    const leaving = Math.min(oldest + waiting, newest);
    const turnsAfter = oldest + waiting - leaving;
    const spreadMs = Math.min(nowMs, this.#at(oldest)) + waiting * spacingMs;
    const possibleMs = Math.min(nowMs, this.#at(leaving)) + turnsAfter * spacingMs;
    return Math.ceil(Math.max(spreadMs, possibleMs) + rate.windowMs - nowMs);
  }

  #at(nth: number): number {
    if (nth >= this.#size) return Number.POSITIVE_INFINITY;
    return this.#times[this.#place(nth)] ?? 0;
  }

  #place(nth: number): number {
    return (this.#first + nth) & (this.#times.length - 1);
  }

  #forget(untilMs: number): void {
    while (this.#left > 0 && (this.#size > MAX_RATE_LIMIT || this.#at(0) <= untilMs)) {
      this.#first = (this.#first + 1) & (this.#times.length - 1);
      this.#size -= 1;
      this.#left -= 1;
    }
    if (this.#size === 0 && this.#times.length > MIN_CAPACITY) this.#resize(MIN_CAPACITY);
  }

  #resize(capacity: number): void {
    const times = new Float64Array(capacity);
    for (let nth = 0; nth < this.#size; nth += 1) times[nth] = this.#at(nth);
    this.#times = times;
    this.#first = 0;
  }
}
