// Not the global one: a test may replace that by a fake clock, while servers answer in real time.
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
 * const answer = await deadline.bound(driver.query('SELECT 1'));
 * ```
 */
export class CallDeadline {
  /** By `performance.now()`, which does not follow steps of the wall clock, ms. */
  readonly atMs: number;
  readonly #server: string;
  readonly #lengthMs: number;
  /** Timers may fire early: once a caller was told that the deadline passed, it has. */
  #isGivenUp = false;

  /**
   * @param server - what is waited for, named in the error.
   * @param lengthMs - how long to wait from now, ms.
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
   * Waits for the work, at most until the deadline. The work itself cannot be cancelled: use a
   * {@link ExpiredCommandGuard}, so that it changes nothing later.
   *
   * @param abandon - called if the deadline passes first.
   * @throws {StorageUnavailableError} when the deadline passes; else whatever the work throws.
   */
  bound<Result>(work: Promise<Result>, abandon?: () => void): Promise<Result> {
    return new Promise((resolve, reject) => {
      let lastLook: NodeJS.Immediate | undefined;
      const giveUp = (): void => {
        this.#isGivenUp = true;
        const why = `${this.#server} did not answer within ${this.#lengthMs} ms.`;
        reject(new StorageUnavailableError(why));
        abandon?.();
      };
      const timer = setTimeout(
        () => {
          // An answer may have come that was not read yet.
          lastLook = setImmediate(giveUp);
        },
        Math.max(0, this.atMs - performance.now()),
      );
      const callOff = (): void => {
        clearTimeout(timer);
        clearImmediate(lastLook);
      };
      // Both handlers stay attached after the deadline, so that a late rejection is never unhandled.
      work.then(
        (result) => {
          callOff();
          resolve(result);
        },
        (error: unknown) => {
          callOff();
          reject(error);
        },
      );
    });
  }
}
