import { performance } from 'node:perf_hooks';
// Not the global one: where a test turns the clock, sockets are real nevertheless.
import { setImmediate } from 'node:timers';

/** How long the jobs of one turn may take together, ms. */
const SLICE_MS = 10;

/**
 * Runs jobs at the end of the turn of the event loop, in the order of asking, as many as fit into a slice of time; the
 * others at the end of the next turns. A thousand connections that begin together would otherwise block the process.
 */
export class Slices {
  /** When the slice of this turn is over. */
  #endsAtMs: number | null = null;

  /** @param job - must not throw */
  run(job: () => void): void {
    setImmediate(this.#runInSlice, job);
  }

  readonly #runInSlice = (job: () => void): void => {
    const nowMs = performance.now();
    if (this.#endsAtMs === null) {
      this.#endsAtMs = nowMs + SLICE_MS;
      // It precedes all jobs of the next turn.
      setImmediate(() => {
        this.#endsAtMs = null;
      });
    }
    if (nowMs < this.#endsAtMs) job();
    else this.run(job);
  };
}
