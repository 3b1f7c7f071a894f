/** How long the response that is furthest ahead counts, ms: at least this long, and at most twice as long. */
const WINDOW_MS = 60_000;

/**
 * Estimates the server's clock from the times in its responses.
 *
 * The estimate may be ahead of the server, but never behind it: a guard that uses it may accept a call slightly late,
 * but never rejects one that is in time. So the estimate assumes that the server responded when the call was sent, and
 * uses the response that is furthest ahead within the last one to two minutes: one storage may have several servers
 * (the masters of a Cluster, or the next one after a failover), each with its own clock.
 *
 * An old response is replaced only by newer ones. The window is a span of time rather than a number of responses, so
 * that a burst of delayed responses, as after a stall, does not displace the usual ones.
 */
export class ServerClock {
  #windowSinceMs = Number.NEGATIVE_INFINITY;
  /**
   * The local monotonic time minus the server's time, ms. The smallest value is from the server that is furthest ahead.
   */
  #offsetMs: number | undefined;
  /** The same value of the previous window. */
  #previousOffsetMs: number | undefined;

  /** @param sentAtMs - the local monotonic time at which the call was sent */
  observe(serverMs: number, sentAtMs: number): void {
    const offsetMs = sentAtMs - serverMs;
    if (sentAtMs - this.#windowSinceMs > WINDOW_MS) {
      this.#previousOffsetMs = this.#offsetMs;
      this.#offsetMs = offsetMs;
      this.#windowSinceMs = sentAtMs;
    } else {
      this.#offsetMs = Math.min(this.#offsetMs ?? offsetMs, offsetMs);
    }
  }

  /** The server's time at a local monotonic time; `undefined` before the first response. */
  at(localMs: number): number | undefined {
    if (this.#offsetMs === undefined) return undefined;
    return localMs - Math.min(this.#offsetMs, this.#previousOffsetMs ?? this.#offsetMs);
  }
}
