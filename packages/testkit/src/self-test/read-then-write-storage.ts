import { setImmediate as turn } from 'node:timers/promises';
import { memoryStorage, type Storage } from '@latchhook/core';
import { seededRandom } from '../seeded-random.ts';
import type { StorageHarness } from '../storage-harness.ts';
import { turnableClock } from '../turnable-clock.ts';

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
export const readThenWriteStorage: StorageHarness = {
  open: async ({ clock }) => {
    const random = seededRandom(1);
    let written: readonly Step[] = [];

    const transition = async <Answer>(
      apply: (storage: Storage) => Promise<Answer>,
    ): Promise<Answer> => {
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

    const storage: Storage = {
      name: 'read, then write',
      sessions: {
        create: (session, limits) => transition(({ sessions }) => sessions.create(session, limits)),
        rotate: (request) => transition(({ sessions }) => sessions.rotate(request)),
        isLive: (ref) => transition(({ sessions }) => sessions.isLive(ref)),
        revoke: (ref) => transition(({ sessions }) => sessions.revoke(ref)),
        revokeAll: (userId) => transition(({ sessions }) => sessions.revokeAll(userId)),
        list: (userId) => transition(({ sessions }) => sessions.list(userId)),
      },
      challenges: {
        create: (challenge) => transition(({ challenges }) => challenges.create(challenge)),
        reserveAttempt: (ref, limits) =>
          transition(({ challenges }) => challenges.reserveAttempt(ref, limits)),
        complete: (request) => transition(({ challenges }) => challenges.complete(request)),
        unlock: (userId) => transition(({ challenges }) => challenges.unlock(userId)),
      },
    };
    return { connect: async () => storage, close: async () => {} };
  },
};
