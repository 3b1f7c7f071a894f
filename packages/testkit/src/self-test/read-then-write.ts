import { setImmediate as turn } from 'node:timers/promises';
import { type Clock, memoryStorage, type Storage } from '@latchhook/core';
import { seededRandom } from '../seeded-random.ts';
import { turnableClock } from '../turnable-clock.ts';

/** One transition of a storage, as it were. */
export type Transition = <Answer>(apply: (storage: Storage) => Promise<Answer>) => Promise<Answer>;

interface Step {
  readonly atMs: number;
  apply(storage: Storage): Promise<unknown>;
}

/**
 * The defect that the contracts are about: every method reads all there is, decides right, and writes
 * back what it made of it, with other methods in between. Alone, each is without fault.
 *
 * All there is are the steps that were taken so far: reading is taking them anew, on a storage of one's own.
 */
export function readThenWrite(clock: Clock): Transition {
  const random = seededRandom(1);
  let written: readonly Step[] = [];

  return async (apply) => {
    const read = written;
    for (let delay = Math.floor(random() * 4); delay >= 0; delay -= 1) await turn();
    const ownClock = turnableClock(0);
    const own = memoryStorage({ clock: ownClock });
    const step = { atMs: clock.nowMs(), apply };
    for (const { atMs, apply } of read) {
      ownClock.advance(atMs - ownClock.nowMs());
      await apply(own);
    }
    ownClock.advance(step.atMs - ownClock.nowMs());
    const answer = await apply(own);
    written = [...read, step];
    return answer;
  };
}
