import { RecentLeast } from '../../recent-least.ts';

/** For how long the furthest-ahead answer counts, at least; at most for twice as long. */
const WINDOW_MS = 60_000;

/**
 * What the clock of the server reads, estimated from the times that its answers carry.
 *
 * The estimate errs ahead, never behind: a guard built on it may let a call through a little longer, but never refuses
 * one that is in time. So it takes the time of sending for the time of answering, and uses the furthest-ahead answer of
 * the last one to two minutes: behind one storage there may be several servers (the masters of a Cluster, or the next
 * one after a failover), each with a clock of its own.
 */
export class ServerClock {
  /** How far local time is ahead: the least is from the server that is furthest ahead. */
  readonly #aheadMs = new RecentLeast(WINDOW_MS);

  /** @param sentAtMs - local monotonic time at which the answered call was sent. */
  observe(serverMs: number, sentAtMs: number): void {
    this.#aheadMs.note(sentAtMs - serverMs, sentAtMs);
  }

  /** What the server will read at a local monotonic time; `undefined` before the first answer. */
  at(localMs: number): number | undefined {
    const aheadMs = this.#aheadMs.value;
    return aheadMs === undefined ? undefined : localMs - aheadMs;
  }
}
