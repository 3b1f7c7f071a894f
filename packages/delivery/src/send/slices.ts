import { performance } from 'node:perf_hooks';
// Not the global one: where a test turns the clock, sockets are real nevertheless.
import { setImmediate } from 'node:timers';

/** How long a turn of the event loop may take before no more jobs begin in it, ms. */
const TURN_MS = 10;

/**
 * Runs jobs at the end of the turn of the event loop, in the order of asking. Those that would make the turn long wait
 * for the next ones: a thousand connections that begin together would otherwise block the process. What came of earlier
 * jobs, such as handshakes, takes time of the turn too; one job runs in any case.
 */
export class Slices {
  readonly #waiting: (() => void)[] = [];
  /** When no more jobs begin in this turn; `null`: it has had none. */
  #endsAtMs: number | null = null;
  #ranUntilMs = 0;

  /** @param job - must not throw */
  run(job: () => void): void {
    setImmediate(this.#take, job);
  }

  readonly #take = (job: () => void): void => {
    this.#waiting.push(job);
    this.#runWithin(this.#endsAtMs ?? this.#beginTurn(performance.now()));
  };

  #beginTurn(sinceMs: number): number {
    this.#endsAtMs = sinceMs + TURN_MS;
    setImmediate(this.#endTurn);
    return this.#endsAtMs;
  }

  /** Precedes all jobs that were asked for meanwhile. */
  readonly #endTurn = (): void => {
    this.#endsAtMs = null;
    if (this.#waiting.length === 0) return;
    const endsAtMs = this.#beginTurn(this.#ranUntilMs);
    this.#waiting.shift()?.();
    this.#runWithin(endsAtMs);
  };

  #runWithin(endsAtMs: number): void {
    this.#ranUntilMs = performance.now();
    while (this.#waiting.length > 0 && this.#ranUntilMs < endsAtMs) {
      this.#waiting.shift()?.();
      this.#ranUntilMs = performance.now();
    }
  }
}
