/** How long the answer that is furthest ahead counts, ms: at least this long, and at most twice as long. */
const WINDOW_MS = 60_000;

/**
 * Estimates the server's clock from the times in its answers.
 *
 * The estimate may be ahead of the server, but never behind it: a guard that uses it may accept a call slightly late,
 * but never rejects one that is in time. So it assumes that the server answered when the call was sent, and uses the
 * answer that is furthest ahead within the last one to two minutes: one storage may have several servers (the masters
 * of a Cluster, or the next one after a failover), each with its own clock.
 *
 * An old answer is replaced only by newer ones. The window is a span of time rather than a number of answers, so that a
 * burst of delayed answers, as after a stall, does not displace the usual ones.
 */
export class ServerClock {
  #windowSinceMs = Number.NEGATIVE_INFINITY;
  /** How far the local monotonic time is ahead, ms. The smallest value is from the server that is furthest ahead. */
  #aheadMs: number | undefined;
  /** The same value of the previous window. */
  #aheadBeforeMs: number | undefined;

  /** @param sentAtMs - the local monotonic time at which the call was sent */
  observe(serverMs: number, sentAtMs: number): void {
    const aheadMs = sentAtMs - serverMs;
    if (sentAtMs - this.#windowSinceMs > WINDOW_MS) {
      this.#aheadBeforeMs = this.#aheadMs;
      this.#aheadMs = aheadMs;
      this.#windowSinceMs = sentAtMs;
    } else {
      this.#aheadMs = Math.min(this.#aheadMs ?? aheadMs, aheadMs);
    }
  }

  /** The server's time at a local monotonic time; `undefined` before the first answer. */
  at(localMs: number): number | undefined {
    if (this.#aheadMs === undefined) return undefined;
    return localMs - Math.min(this.#aheadMs, this.#aheadBeforeMs ?? this.#aheadMs);
  }
}
