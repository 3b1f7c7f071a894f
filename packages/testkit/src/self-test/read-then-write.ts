import { setImmediate as turn } from 'node:timers/promises';
import { type Clock, memoryStorage } from '@latchhook/core';
import type { Storage } from '@latchhook/core/storage';
import { seededRandom } from '../agreement/seeded-random.ts';
import { turnableClock } from '../time/turnable-clock.ts';

/** Makes one transition of a storage, or what pretends to be one. */
export type Transition = <Answer>(apply: (storage: Storage) => Promise<Answer>) => Promise<Answer>;

interface Step {
  readonly atMs: number;
  apply(storage: Storage): Promise<unknown>;
}

/**
 * The defect that the contracts forbid: every method reads everything, decides correctly and writes the result back,
 * while other methods come in between. Alone, each is correct.
 *
 * What is stored is the list of steps so far: to read is to take all of them again, on a new storage.
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
