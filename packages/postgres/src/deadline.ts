import { performance } from 'node:perf_hooks';
import { StorageUnavailableError } from '@latchhook/core';

/**
 * How long a caller waits for PostgreSQL. `pg` alone may wait for ever: for a connection of a pool that is in
 * use, and on a connection that swallows packets.
 */
export class Deadline {
  /** On the monotonic clock of this process, so that a step of the wall clock moves no deadline. */
  readonly atMs: number;
  readonly #lengthMs: number;

  constructor(lengthMs: number) {
    this.#lengthMs = lengthMs;
    this.atMs = performance.now() + lengthMs;
  }

  get passed(): boolean {
    return performance.now() >= this.atMs;
  }

  /**
   * Waits for the work, at most until the deadline. What the work does later is the affair of the
   * late-landing guard (see `createFunctionCaller`).
   *
   * @param abandon - called where the deadline passes first.
   * @throws StorageUnavailableError when the deadline passes; else whatever the work throws.
   */
  bound<Result>(work: Promise<Result>, abandon?: () => void): Promise<Result> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => {
          const why = `PostgreSQL did not answer within ${this.#lengthMs} ms.`;
          reject(new StorageUnavailableError(why));
          abandon?.();
        },
        Math.max(0, this.atMs - performance.now()),
      );
      // Both handlers stay attached after the deadline, so that a late rejection is never unhandled.
      work.then(
        (result) => {
          clearTimeout(timer);
          resolve(result);
        },
        (error: unknown) => {
          clearTimeout(timer);
          reject(error);
        },
      );
    });
  }
}
