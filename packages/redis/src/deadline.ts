import { performance } from 'node:perf_hooks';
import { StorageUnavailableError } from '@latchhook/core';
import { storageUnavailable } from './storage-unavailable.ts';

/**
 * How long a caller waits for Redis. ioredis alone may wait for ever: on a connection that swallows packets
 * nothing ever fails, and while it reconnects it queues.
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
   * Waits for the work, at most until the deadline. The work itself cannot be called off: what it does
   * later is the late-landing guard's affair (see `createScriptCaller`).
   *
   * @throws StorageUnavailableError when the work fails, or the deadline passes.
   */
  bound<Result>(work: Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => {
          reject(new StorageUnavailableError(`Redis did not answer within ${this.#lengthMs} ms.`));
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
          reject(storageUnavailable(error));
        },
      );
    });
  }
}
