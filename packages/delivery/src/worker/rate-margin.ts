import { LONGEST_RATE_MARGIN_MS } from '@latchhook/core/storage';

/** The least margin, ms: enough for a store nearby and an event loop that is not busy. */
const LEAST_MS = 25;
/** What is taken for usual at first, ms: a process that has just started is slow. */
const AT_FIRST_MS = 100;
/** How much longer than usual an attempt may take to begin, as a share of that. */
const SLACK = 1.5;
/**
 * How far one claim widens what is usual, ms; the next one in a row that is late, twice as far. A process that stood
 * still once says nothing about the next claim, and one that is late again and again has to get there soon.
 */
const FIRST_STEP_MS = 10;
const UP = 0.5;
const DOWN = 0.05;

/**
 * How long after it was asked for an attempt may begin, ms. It follows how long that takes of late, so that a distant
 * store or a busy process does not make every claim too old. A wider margin costs throughput where the rate is the
 * limit, as starts count for so much longer.
 */
export class RateMargin {
  #usualMs = AT_FIRST_MS;
  #stepMs = FIRST_STEP_MS;

  get ms(): number {
    return Math.min(LONGEST_RATE_MARGIN_MS, Math.max(LEAST_MS, Math.ceil(this.#usualMs * SLACK)));
  }

  /** @param ageMs - from asking until the last attempt of a claim began. */
  note(ageMs: number): void {
    const distance = ageMs - this.#usualMs;
    const isLate = ageMs > this.ms;
    this.#usualMs += distance > 0 ? Math.min(this.#stepMs, distance * UP) : distance * DOWN;
    this.#stepMs = isLate ? 2 * this.#stepMs : FIRST_STEP_MS;
  }
}
