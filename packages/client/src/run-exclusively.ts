import { createLease, LEASE_MS } from './lease.ts';
import { platform, sleep } from './platform.ts';
import { findLocalStorage } from './web-storage.ts';

/**
 * How long a lock is held after a write, ms. If it were released immediately, a tab in another process might get the
 * lock before it sees the write in `localStorage`.
 */
const HOLD_AFTER_WRITE_MS = 500;

/** Runs `work` in one tab or worker at a time. `work` calls `markStored` when it writes to the storage. */
export type RunExclusively = <Result>(
  work: (markStored: () => void) => Promise<Result>,
) => Promise<Result>;

const runWithoutLock: RunExclusively = (work) => work(() => {});

/**
 * Uses a Web Lock, which the browser releases when its tab is closed; without Web Locks, a lease in `localStorage`. If
 * neither is available, as in a sandboxed frame, or the lock is not granted within the length of a lease, the work runs
 * without a lock: the server's grace period tolerates parallel refreshes.
 *
 * @param name - the name of the storage; absent if the storage is not shared
 */
export function createRunExclusively(name: string | undefined): RunExclusively {
  if (name === undefined) return runWithoutLock;
  const key = `latchhook:${name}`;
  const locks = platform.navigator?.locks;
  if (!locks) {
    const area = findLocalStorage();
    return area ? createLease(area, key) : runWithoutLock;
  }
  return (work) =>
    new Promise((resolve) => {
      let isGranted = false;
      const holdLock = async (): Promise<void> => {
        isGranted = true;
        let hold: Promise<void> | undefined;
        const done = work(() => {
          hold = sleep(HOLD_AFTER_WRITE_MS);
        });
        resolve(done);
        await done.catch(() => {});
        await hold;
      };
      // The tab that holds the lock may be frozen: suspended, or showing a dialog. Safari has `timeout` only since 16.
      const signal = AbortSignal.timeout?.(LEASE_MS);
      locks.request(key, { signal }, holdLock).catch(() => {
        if (!isGranted) resolve(runWithoutLock(work));
      });
    });
}
