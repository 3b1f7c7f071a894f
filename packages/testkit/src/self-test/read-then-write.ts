import { setImmediate as turn } from 'node:timers/promises';
import { memoryStorage } from '@latchhook/core';
import { monotonicMs } from '@latchhook/core/delivery';
import type { Storage } from '@latchhook/core/storage';
import { seededRandom } from '../model/seeded-random.ts';
import { type TurnableClock, turnableClock } from '../time/turnable-clock.ts';

/** Makes one transition of a storage, or what pretends to be one. */
export type Transition = <Answer>(apply: (storage: Storage) => Promise<Answer>) => Promise<Answer>;

interface Step {
  readonly nowMs: number;
  readonly monotonicMs: number;
  apply(storage: Storage): Promise<unknown>;
}

/**
 * The defect that the contracts forbid: every method reads everything, decides correctly and writes the result back,
 * while other methods come in between. Alone, each is correct.
 *
 * What is stored is the list of steps so far: to read is to take all of them again, on a new storage.
 */
export function readThenWrite(clock: TurnableClock): Transition {
  const random = seededRandom(1);
  let written: readonly Step[] = [];

  return async (apply) => {
    const read = written;
    for (let delay = Math.floor(random() * 4); delay >= 0; delay -= 1) await turn();
    const ownClock = turnableClock(0);
    const own = memoryStorage({ clock: ownClock });
    const step = { nowMs: clock.nowMs(), monotonicMs: monotonicMs(clock), apply };
    for (const earlier of read) {
      turnTo(ownClock, earlier);
      await earlier.apply(own);
    }
    turnTo(ownClock, step);
    const answer = await apply(own);
    written = [...read, step];
    return answer;
  };
}

/** Durations pass as they have passed, though the time of day was set back. */
function turnTo(clock: TurnableClock, step: Step): void {
  clock.advance(step.monotonicMs - monotonicMs(clock));
  clock.setBack(clock.nowMs() - step.nowMs);
}
