/** For how long the furthest-ahead answer counts, at least; at most for twice as long. */
const WINDOW_MS = 60_000;

/**
 * What the clock of the server reads, estimated from the times that its answers carry.
 *
 * The estimate errs ahead, never behind: a guard built on it may let a call through a little longer, but never rejects
 * one that is in time. So it takes the time of sending for the time of answering, and uses the furthest-ahead answer of
 * the last one to two minutes: behind one storage there may be several servers (the masters of a Cluster, or the next
 * one after a failover), each with its own clock.
 *
 * An old answer is replaced by newer ones, not forgotten. The window is of time, not of a number of answers: those that
 * come all at once, as after a standstill, do not push out the usual ones.
 */
export class ServerClock {
  #windowSinceMs = Number.NEGATIVE_INFINITY;
  /** How far local time is ahead: the least is from the server that is furthest ahead. */
  #aheadMs: number | undefined;
  /** The same, of the window before. */
  #aheadBeforeMs: number | undefined;

  /** @param sentAtMs - local monotonic time at which the answered call was sent. */
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

  /** What the server will read at a local monotonic time; `undefined` before the first answer. */
  at(localMs: number): number | undefined {
    if (this.#aheadMs === undefined) return undefined;
    return localMs - Math.min(this.#aheadMs, this.#aheadBeforeMs ?? this.#aheadMs);
  }
}
