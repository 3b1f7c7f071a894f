import { platform } from './platform.ts';

/** Runs work while no other tab or worker does any under the same name. */
export type Exclusively = <Result>(work: () => Promise<Result>) => Promise<Result>;

/**
 * Takes turns by a Web Lock, which ends with the tab that holds it. Where the platform has none, or refuses it, as to a
 * sandboxed frame, the work runs at once: the grace of the server makes good for that.
 *
 * @param name - what is shared; absent where nobody else can have it
 */
export function createExclusively(name: string | undefined): Exclusively {
  const locks = platform.navigator?.locks;
  if (name === undefined || locks === undefined) return (work) => work();
  return async (work) => {
    let started = false;
    const start = (): ReturnType<typeof work> => {
      started = true;
      return work();
    };
    try {
      return await locks.request(`latchhook:${name}`, start);
    } catch (error) {
      if (started) throw error;
      return work();
    }
  };
}
