import { unrefTimers } from '../unref-timers.ts';

/** Faults that are tolerated within a second: a few are not an outage, and a pause would hold up all jobs. */
const MAX_FAULTS = 10;
const PAUSE_MS = 1_000;

/** What is needed of a BullMQ worker to pause it. */
export interface PausableWorker {
  on(event: 'error', listener: () => void): unknown;
  pause(doNotWaitActive: boolean): Promise<void>;
  resume(): Promise<void>;
}

/**
 * Pauses a worker whose calls fail one after the other. Where Redis answers with a refusal (it has become a replica,
 * its disk is full, the access list was changed), BullMQ asks again at once, thousands of times a second, for as long
 * as that lasts. Active jobs go on meanwhile.
 */
export function pauseWhenFailing(worker: PausableWorker): void {
  let faults = 0;
  let isCounting = false;

  function endOfSecond(): void {
    const wasTooMany = faults > MAX_FAULTS;
    isCounting = false;
    faults = 0;
    if (wasTooMany) void worker.resume();
  }

  worker.on('error', () => {
    faults += 1;
    if (faults === MAX_FAULTS + 1) void worker.pause(true);
    if (isCounting) return;
    isCounting = true;
    unrefTimers.after(PAUSE_MS, endOfSecond);
  });
}
