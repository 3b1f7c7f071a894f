import { platform } from './platform.ts';

/**
 * How long a lock is kept after something was stored, ms. A tab in another process may get the lock sooner than it sees
 * in `localStorage` what was stored under it.
 */
const SETTLING_MS = 500;

/** Runs work while no other tab or worker does any under the same name. The work says if it has stored something. */
export type Exclusively = <Result>(
  work: (hasStored: () => void) => Promise<Result>,
) => Promise<Result>;

/**
 * Takes turns by a Web Lock, which ends with the tab that holds it. Where the platform has none, or refuses it, as to a
 * sandboxed frame, the work runs at once: the grace of the server makes good for that.
 *
 * @param name - what is shared; absent where nobody else can have it
 */
export function createExclusively(name: string | undefined): Exclusively {
  const locks = platform.navigator?.locks;
  if (name === undefined || locks === undefined) return (work) => work(() => {});
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
        if (!isGranted) resolve(work(() => {}));
      });
    });
}
