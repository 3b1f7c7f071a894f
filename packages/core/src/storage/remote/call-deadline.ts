// Not the global one: where a test turns the clock, the answers of others are real nevertheless.
import { clearImmediate, setImmediate } from 'node:timers';
import { StorageUnavailableError } from '../../errors.ts';

/**
 * How long a caller waits for a storage that is elsewhere. Drivers may wait for ever by themselves: for a
 * connection of a pool, for a server that is away, or on a connection that swallows packets.
 *
 * For who writes a storage. Several calls that make one transition share one.
 *
 * @example
 * ```ts
 * import { CallDeadline } from '@latchhook/core';
 *
 * declare const driver: { query(text: string): Promise<unknown> };
 *
 * const deadline = new CallDeadline('MariaDB', 1000);
 * const answer = await deadline.bound(driver.query('SELECT 1'));
 * ```
 */
export class CallDeadline {
  /** By `performance.now()`, which no step of the wall clock moves, ms. */
  readonly atMs: number;
  readonly #server: string;
  readonly #lengthMs: number;
  /** Timers may fire before their time: what a caller was told stays true. */
  #isGivenUp = false;

  /**
   * @param server - what is waited for, as its error calls it.
   * @param lengthMs - how long, from now, ms.
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
   * Waits for the work, at most until the deadline. The work itself cannot be called off: see to it by a
   * {@link LateLandingGuard} that it changes nothing later.
   *
   * @param abandon - called where the deadline passes first.
   * @throws StorageUnavailableError when the deadline passes; else whatever the work throws.
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
          // An answer may lie there that has not been read (ADR 38).
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
