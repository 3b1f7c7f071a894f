import type { DrainOutcome } from '@latchhook/core';
import type { Timers } from '@latchhook/core/delivery';

/** Waits for conditions on the state of a worker. */
export class ConditionWaits {
  readonly #timers: Timers;
  /** For each pending wait, a function that ends the wait if its condition is met. */
  readonly #checks = new Set<() => void>();

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  get isEmpty(): boolean {
    return this.#checks.size === 0;
  }

  /** Resolves once the condition is met, or after `deadlineMs`. */
  until(isMet: () => boolean, deadlineMs: number): Promise<DrainOutcome> {
    return new Promise((resolve) => {
      const end = (outcome: DrainOutcome['outcome']): void => {
        cancel();
        this.#checks.delete(check);
        resolve({ outcome });
      };
      const check = (): void => {
        if (isMet()) end('drained');
      };
      const cancel = this.#timers.after(deadlineMs, () => end('deadline'));
      this.#checks.add(check);
      check();
    });
  }

  /** Checks the conditions. Call it after each change of the state. */
  check(): void {
    for (const check of this.#checks) check();
  }
}
