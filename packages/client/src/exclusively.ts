import { createLease, LEASE_MS } from './lease.ts';
import { platform } from './platform.ts';
import { findArea } from './web-storage.ts';

/**
 * How long a lock is kept after a write, ms. A tab in another process may get the lock before it sees the write in
 * `localStorage`.
 */
const SETTLING_MS = 500;

/** Runs work exclusively among tabs and workers with this name. The work calls `hasStored` after a write. */
export type Exclusively = <Result>(
  work: (hasStored: () => void) => Promise<Result>,
) => Promise<Result>;

const AT_ONCE: Exclusively = (work) => work(() => {});

/**
 * Uses a Web Lock, which ends with the tab that holds it, or else a lease in `localStorage`. Without either, as in a
 * sandboxed frame, or after a wait as long as a lease, the work runs at once: the server's grace period tolerates that.
 *
 * @param name - the name of the storage; absent if not shared
 */
export function createExclusively(name: string | undefined): Exclusively {
  if (name === undefined) return AT_ONCE;
  const locks = platform.navigator?.locks;
  if (locks === undefined) {
    const area = findArea();
    return area ? createLease(area, `latchhook:${name}`) : AT_ONCE;
  }
  return (work) =>
    new Promise((resolve, reject) => {
      let isGranted = false;
      const holdLock = async (): Promise<void> => {
        isGranted = true;
        let settlingMs = 0;
        const done = work(() => {
          settlingMs = SETTLING_MS;
        });
        done.then(resolve, reject);
        await done.catch(() => {});
        if (settlingMs > 0) await new Promise((settled) => setTimeout(settled, settlingMs));
      };
      // The tab that holds it may stand still, at a dialog or suspended.
      const signal = AbortSignal.timeout(LEASE_MS);
      locks.request(`latchhook:${name}`, { signal }, holdLock).catch(() => {
        if (!isGranted) resolve(AT_ONCE(work));
      });
    });
}
