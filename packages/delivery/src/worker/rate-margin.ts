import { LONGEST_RATE_MARGIN_MS } from '@latchhook/core/storage';

/** The least margin, ms: enough for a store nearby and an event loop that is not busy. */
const LEAST_MS = 25;
/** What is taken for usual at first, ms: a process that has just started is slow. */
const AT_FIRST_MS = 100;
/** How much longer than usual an attempt may take to begin, as a share of that. */
const SLACK = 1.5;
/**
 * How far one late claim widens what is usual, ms: a process that stood still once says nothing about the next claim.
 * Two in a row say that it takes as long as the shorter of them. Each costs the webhook a start that it does not make:
 * of one a minute, all of that minute.
 */
const STEP_MS = 10;
const UP = 0.5;
const DOWN = 0.05;
/** From more than is usual at first: a wide margin costs throughput. */
const DOWN_FROM_WIDE = 0.5;

/**
 * How long after it was asked for an attempt may begin, ms. It follows how long that takes of late, so that a distant
 * store or a busy process does not make every claim too old. A wider margin costs throughput where the rate is the
 * limit because starts count for so much longer.
 */
export class RateMargin {
  #usualMs = AT_FIRST_MS;
  /** Of the last claim, if that was late, ms. */
  #lateMs: number | undefined;

  get ms(): number {
    return Math.min(LONGEST_RATE_MARGIN_MS, Math.max(LEAST_MS, Math.ceil(this.#usualMs * SLACK)));
  }

  /** @param ageMs - from asking until the last attempt of a claim began. */
  record(ageMs: number): void {
    const isLate = ageMs > this.ms;
    if (isLate && this.#lateMs !== undefined) {
      this.#usualMs = Math.min(ageMs, this.#lateMs, LONGEST_RATE_MARGIN_MS / SLACK);
    } else {
      const distance = ageMs - this.#usualMs;
      const down = this.#usualMs > AT_FIRST_MS ? DOWN_FROM_WIDE : DOWN;
      this.#usualMs += distance > 0 ? Math.min(STEP_MS, distance * UP) : distance * down;
    }
    this.#lateMs = isLate ? ageMs : undefined;
  }
}
