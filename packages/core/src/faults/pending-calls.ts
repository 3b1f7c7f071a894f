// Not the global one: in a test with fake timers, answers still come in real time.
import { setImmediate } from 'node:timers';

/**
 * How long closing waits, ms: for a call and for one that follows from it, each of which its deadline ends in 1.5 s.
 */
const LONGEST_WAIT_MS = 5_000;

/** What was begun and has not ended, whether or not a request still waits for it. */
export class PendingCalls {
  #count = 0;
  readonly #waiting = new Set<() => void>();

  begin(): void {
    this.#count += 1;
  }

  end(): void {
    this.#count -= 1;
    if (this.#waiting.size > 0) this.#lookOnce();
  }

  /**
   * Resolves once nothing is pending, nor follows from what was, or after `limitMs`: a host that has not stopped taking
   * requests may begin more for ever. By default after five seconds.
   *
   * @returns whether nothing is pending
   */
  settled(limitMs: number = LONGEST_WAIT_MS): Promise<boolean> {
    return new Promise((resolve) => {
      const finish = () => {
        clearTimeout(timer);
        this.#waiting.delete(finish);
        resolve(this.#count === 0);
      };
      const timer = setTimeout(finish, limitMs);
      this.#waiting.add(finish);
      this.#lookOnce();
    });
  }

  /** At the end of the turn: by then, what follows from a call that has just ended has begun. */
  #lookOnce(): void {
    setImmediate(() => {
      if (this.#count > 0) return;
      for (const finish of [...this.#waiting]) finish();
    });
  }
}
