// Imported because tests may replace the global functions with a fake clock while servers respond in real time.
import { clearImmediate, setImmediate } from 'node:timers';
import { StorageUnavailableError } from '../../errors.ts';

/**
 * How long a caller waits for a remote storage. A driver alone may wait for ever: for a connection of a pool, for a
 * server that is down, or on a connection that swallows packets.
 *
 * For authors of storages. Several calls that make one transition share one deadline.
 *
 * @example
 * ```ts
 * import { CallDeadline } from '@latchhook/core/storage';
 *
 * declare const driver: { query(text: string): Promise<unknown> };
 *
 * const deadline = new CallDeadline('MariaDB', 1000);
 * const result = await deadline.bound(driver.query('SELECT 1'));
 * ```
 */
export class CallDeadline {
  /** By `performance.now()`, which does not follow steps of the wall clock, ms. */
  readonly atMs: number;
  readonly #server: string;
  readonly #lengthMs: number;
  /** Set when a caller is rejected, so that `passed` is then true even if the timer fired early. */
  #isGivenUp = false;

  /**
   * @param server - the name of the server in the error
   * @param lengthMs - the timeout from now, ms
   */
  constructor(server: string, lengthMs: number) {
    this.#server = server;
    this.#lengthMs = lengthMs;
    this.atMs = performance.now() + lengthMs;
  }

  get passed(): boolean {
    return this.#isGivenUp || performance.now() >= this.atMs;
  }

  /**
   * Waits for the work, at most until the deadline. The work itself cannot be cancelled: use an {@link
   * ExpiredCommandGuard}, so that it changes nothing later.
   *
   * @param abandon - called if the deadline passes first
   * @throws {StorageUnavailableError} when the deadline passes; other errors are those of the work
   */
  bound<Result>(work: Promise<Result>, abandon?: () => void): Promise<Result> {
    return new Promise((resolve, reject) => {
      let finalCheck: NodeJS.Immediate | undefined;
      const giveUp = (): void => {
        this.#isGivenUp = true;
        const message = `${this.#server} did not answer within ${this.#lengthMs} ms.`;
        reject(new StorageUnavailableError(message));
        abandon?.();
      };
      const timer = setTimeout(
        () => {
          // The event loop polls once more first: a response may have arrived that was not read yet.
          finalCheck = setImmediate(giveUp);
        },
        Math.max(0, this.atMs - performance.now()),
      );
      const cancel = (): void => {
        clearTimeout(timer);
        clearImmediate(finalCheck);
      };
      // Both handlers stay attached after the deadline, so that a late rejection is never unhandled.
      work.then(
        (result) => {
          cancel();
          resolve(result);
        },
        (error: unknown) => {
          cancel();
          reject(error);
        },
      );
    });
  }
}
