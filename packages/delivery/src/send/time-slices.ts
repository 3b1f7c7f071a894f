import { performance } from 'node:perf_hooks';
// Imported rather than global because tests replace the global one with a fake clock while their sockets are real.
import { setImmediate } from 'node:timers';

/** Once a turn of the event loop has taken this long, no further job starts in it, ms. */
const TURN_MS = 10;

/**
 * Runs jobs in time slices: at the end of a turn of the event loop, in FIFO order, until the turn has taken 10 ms. The
 * others wait for the next turns because a thousand connections that begin together would otherwise block the process.
 * The work that earlier jobs caused, such as handshakes, counts towards the turn; at least one job runs in each turn.
 */
export class TimeSlices {
  readonly #waiting: (() => void)[] = [];
  /** When the slice of this turn ends; `null`: no job has run in it. */
  #endsAtMs: number | null = null;
  /** When the last slice stopped. Work that its jobs cause after that counts towards the next turn. */
  #ranUntilMs = 0;

  /** @param job - must not throw */
  run(job: () => void): void {
    // An immediate for each job, which runs after the immediate by which undici frees the connection of a response that
    // has ended. A job that ran before that would open a new connection.
    setImmediate(this.#take, job);
  }

  readonly #take = (job: () => void): void => {
    this.#waiting.push(job);
    this.#runUntil(this.#endsAtMs ?? this.#beginTurn(performance.now()));
  };

  #beginTurn(sinceMs: number): number {
    this.#endsAtMs = sinceMs + TURN_MS;
    setImmediate(this.#nextTurn);
    return this.#endsAtMs;
  }

  /** Runs before the jobs that were added since the last turn, so that the order is kept. */
  readonly #nextTurn = (): void => {
    this.#endsAtMs = null;
    if (this.#waiting.length === 0) return;
    const endsAtMs = this.#beginTurn(this.#ranUntilMs);
    this.#waiting.shift()?.();
    this.#runUntil(endsAtMs);
  };

  #runUntil(endsAtMs: number): void {
    this.#ranUntilMs = performance.now();
    while (this.#waiting.length > 0 && this.#ranUntilMs < endsAtMs) {
      this.#waiting.shift()?.();
      this.#ranUntilMs = performance.now();
    }
  }
}
