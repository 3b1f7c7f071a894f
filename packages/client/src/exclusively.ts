import { createLease } from './lease.ts';
import { platform } from './platform.ts';
import { findArea } from './web-storage.ts';

/**
 * How long a lock is kept after something was stored, ms. A tab in another process may get the lock sooner than it sees
 * in `localStorage` what was stored under it.
 */
const SETTLING_MS = 500;

/** Runs work while no other tab or worker does any under the same name. The work says if it has stored something. */
export type Exclusively = <Result>(
  work: (hasStored: () => void) => Promise<Result>,
) => Promise<Result>;

const AT_ONCE: Exclusively = (work) => work(() => {});

/**
 * Takes turns by a Web Lock, which ends with the tab that holds it, or else by a lease in `localStorage`. Where the
 * platform has neither, or rejects it, as to a sandboxed frame, the work runs at once: the grace of the server makes
 * good for that.
 *
 * @param name - what is shared; absent where nobody else can have it
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
      locks.request(`latchhook:${name}`, holdLock).catch(() => {
        if (!isGranted) resolve(AT_ONCE(work));
      });
    });
}
