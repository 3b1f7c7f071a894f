import { setImmediate as nextTurn } from 'node:timers/promises';
import { memoryStorage } from '@latchhook/core';
import { monotonicMs } from '@latchhook/core/delivery';
import type { Storage } from '@latchhook/core/storage';
import { seededRandom } from '../model/seeded-random.ts';
import { type TurnableClock, turnableClock } from '../time/turnable-clock.ts';

/** Applies a call to a storage, atomically or not. */
export type Transition = <Result>(
  apply: (storage: Required<Storage>) => Promise<Result>,
) => Promise<Result>;

interface Step {
  readonly nowMs: number;
  readonly monotonicMs: number;
  apply(storage: Required<Storage>): Promise<unknown>;
}

/**
 * Makes transitions that are not atomic, which the contracts forbid. Each reads everything, waits for some turns of the
 * event loop, decides correctly and writes the result, so that it overwrites what others wrote in between. A transition
 * is correct if no other is in progress.
 *
 * The stored state is the list of all steps so far. To read it is to repeat the steps on a new storage.
 */
export function readThenWrite(clock: TurnableClock): Transition {
  const random = seededRandom(1);
  let storedSteps: readonly Step[] = [];

  return async (apply) => {
    const readSteps = storedSteps;
    for (let turns = Math.floor(random() * 4); turns >= 0; turns -= 1) await nextTurn();
    const ownClock = turnableClock(0);
    const ownStorage = memoryStorage({ clock: ownClock });
    const step = { nowMs: clock.nowMs(), monotonicMs: monotonicMs(clock), apply };
    for (const earlierStep of readSteps) {
      turnTo(ownClock, earlierStep);
      await earlierStep.apply(ownStorage);
    }
    turnTo(ownClock, step);
    const result = await apply(ownStorage);
    storedSteps = [...readSteps, step];
    return result;
  };
}

/** Moves both times of the clock to those of the step: durations go on when the wall-clock time was set back. */
function turnTo(clock: TurnableClock, step: Step): void {
  clock.advance(step.monotonicMs - monotonicMs(clock));
  clock.setBack(clock.nowMs() - step.nowMs);
}
