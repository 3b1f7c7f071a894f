// Imported, since fake timers replace only the globals, and in such tests answers still come in real time.
import { setImmediate } from 'node:timers';

/** How long closing waits, ms: enough for two calls in succession, each of which times out after 1.5 s. */
const LONGEST_WAIT_MS = 5_000;

/** Counts calls until they end, even if their request waits for them no longer. */
export class PendingCalls {
  #count = 0;
  readonly #waiting = new Set<() => void>();

  begin(): void {
    this.#count += 1;
  }

  end(): void {
    this.#count -= 1;
    if (this.#waiting.size > 0) this.#finishIfIdle();
  }

  /**
   * Resolves once no call is pending, nor any that follows from one, or after `limitMs`, by default five seconds: a
   * host that still accepts requests may start new calls for ever.
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
      this.#finishIfIdle();
    });
  }

  /** At the end of the event loop's turn: by then, what follows from a call that has just ended has begun. */
  #finishIfIdle(): void {
    setImmediate(() => {
      if (this.#count > 0) return;
      for (const finish of [...this.#waiting]) finish();
    });
  }
}
