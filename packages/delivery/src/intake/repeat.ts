import type { Timers } from '@latchhook/core/delivery';

/** What goes on in the background until it is stopped. */
export interface Background {
  /** Ends it; settles when no call is pending any more. */
  stop(): Promise<void>;
}

/**
 * Does something over and over, first after `firstMs`.
 *
 * @param task - answers how long to pause before the next time, ms; never rejects
 */
export function repeat(task: () => Promise<number>, firstMs: number, timers: Timers): Background {
  let isStopped = false;
  let cancel = (): void => {};
  let running: Promise<void> = Promise.resolve();

  function runAfter(pauseMs: number): void {
    if (isStopped) return;
    cancel = timers.after(pauseMs, () => {
      running = task().then(runAfter);
    });
  }

  runAfter(firstMs);
  return {
    async stop() {
      isStopped = true;
      cancel();
      await running;
    },
  };
}
