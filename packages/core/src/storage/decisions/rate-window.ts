import { LONGEST_RATE_MARGIN_MS } from '../lateness.ts';

/** The attempts that one claim has started. */
interface Starts {
  /** The latest time by which they begin, ms. */
  readonly beginByMs: number;
  readonly count: number;
}

/**
 * The starts of a webhook within the window of its rate. At most `limit` of them lie in any window of the period, as
 * each entry is kept until a period after the latest time by which its attempts begin.
 */
export class RateWindow {
  readonly #entries: Starts[] = [];
  #count = 0;
  #lastBeginByMs: number | null = null;

  /** How many may start now; negative where the limit was lowered. */
  free(limit: number, periodMs: number, nowMs: number): number {
    this.#leave(periodMs, nowMs);
    return limit - this.#count;
  }

  /** When its oldest starts leave it, ms; `null`: it is empty. Call {@link free} first. */
  freeAtMs(periodMs: number): number | null {
    const oldest = this.#entries[0];
    return oldest === undefined ? null : oldest.beginByMs + periodMs;
  }

  add(starts: Starts): void {
    this.#entries.push(starts);
    this.#count += starts.count;
    this.#lastBeginByMs = starts.beginByMs;
  }

  /**
   * Counts as many starts as any limit allows at the last one: starts that have left the window of a second are not
   * known any more, where the period becomes a minute.
   */
  fill(maxLimit: number): void {
    const beginByMs = this.#lastBeginByMs;
    this.#entries.length = 0;
    this.#count = 0;
    if (beginByMs !== null) this.add({ beginByMs, count: maxLimit });
  }

  #leave(periodMs: number, nowMs: number): void {
    let oldest = this.#entries[0];
    if (oldest !== undefined && oldest.beginByMs - nowMs > LONGEST_RATE_MARGIN_MS) {
      this.#entries.splice(0, Number.POSITIVE_INFINITY, { beginByMs: nowMs, count: this.#count });
      return;
    }
    while (oldest !== undefined && nowMs - oldest.beginByMs >= periodMs) {
      this.#entries.shift();
      this.#count -= oldest.count;
      oldest = this.#entries[0];
    }
  }
}
