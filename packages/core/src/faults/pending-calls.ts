// Imported, because fake timers replace only the globals, while I/O still completes in real time in such tests.
import { setImmediate } from 'node:timers';

/** How long closing waits, ms: enough for two calls in succession, which time out after 1.5 s each. */
const LONGEST_WAIT_MS = 5_000;

/** Counts calls until they end, even if their request no longer waits for them. */
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
   * Resolves once no call is pending, including the calls that follow from others; after `limitMs` at the latest,
   * because a host that still accepts requests may start new calls for ever.
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

  /** Checks at the end of the event loop's turn: by then, a call that follows from the last one has begun. */
  #finishIfIdle(): void {
    setImmediate(() => {
      if (this.#count > 0) return;
      for (const finish of [...this.#waiting]) finish();
    });
  }
}
