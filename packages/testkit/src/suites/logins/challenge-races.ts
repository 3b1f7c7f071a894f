import assert from 'node:assert/strict';
import { inParallel } from '../../actions/in-parallel.ts';
import { expectReservation, tally } from '../../actions/outcomes.ts';
import type { LoginFixture } from '../../fixtures/login-fixture.ts';
import { ADA, ATTEMPT_LIMITS, completeRequest, newChallenge } from '../../samples/login-samples.ts';
import type { Suite } from '../../suite.ts';

const PROCESSES = 8;
/** Several, because a defect may show only in some rounds of a race. */
const ROUNDS = 20;

export const challengeRaces: Suite<LoginFixture> = {
  name: 'challenges: races between processes',
  cases: {
    'reserves 5 of 100 parallel attempts at one challenge': async ({ challenges, connections }) => {
      const challenge = newChallenge('c1');
      await challenges.create(challenge);
      const results = await inParallel(100, await connections(PROCESSES), (storage) =>
        storage.challenges.reserveAttempt(challenge, ATTEMPT_LIMITS),
      );
      assert.deepEqual(tally(results), { reserved: 5, gone: 95 });
      const remaining = results
        .filter(({ outcome }) => outcome === 'reserved')
        .map((result) => expectReservation(result).attemptsRemaining);
      assert.deepEqual(remaining.sort(), [0, 1, 2, 3, 4]);
    },

    'returns reserved to 10 of 40 parallel attempts of one user and locked to the others': async ({
      challenges,
      connections,
    }) => {
      for (let i = 0; i < 40; i += 1) await challenges.create(newChallenge(`c${i}`));
      const results = await inParallel(40, await connections(PROCESSES), (storage, i) =>
        storage.challenges.reserveAttempt(newChallenge(`c${i}`), ATTEMPT_LIMITS),
      );
      assert.deepEqual(tally(results), { reserved: 10, locked: 30 });
    },

    'completes one of 20 challenges in parallel with the same time step': async ({
      challenges,
      sessions,
      connections,
    }) => {
      for (let i = 0; i < 20; i += 1) await challenges.create(newChallenge(`c${i}`));
      const results = await inParallel(20, await connections(PROCESSES), (storage, i) =>
        storage.challenges.complete(completeRequest(newChallenge(`c${i}`), `s${i}`, 9)),
      );
      assert.deepEqual(tally(results), { completed: 1, step_used: 19 });
      assert.equal((await sessions.list(ADA)).length, 1);
    },

    'completes a challenge once under 20 parallel calls': async ({
      challenges,
      sessions,
      connections,
    }) => {
      const challenge = newChallenge('c1');
      await challenges.create(challenge);
      const results = await inParallel(20, await connections(PROCESSES), (storage, i) =>
        storage.challenges.complete(completeRequest(challenge, `s${i}`, 9 + i)),
      );
      assert.deepEqual(tally(results), { completed: 1, gone: 19 });
      assert.equal((await sessions.list(ADA)).length, 1);
    },

    'ends every session that a challenge creates during revokeAll()': async ({
      storage,
      challenges,
      connections,
      clock,
    }) => {
      const processes = await connections(PROCESSES);
      for (let round = 0; round < ROUNDS; round += 1) {
        const ids = Array.from({ length: PROCESSES }, (_, i) => `c${round}.${i}`);
        for (const id of ids) await challenges.create(newChallenge(id));
        await Promise.all([
          inParallel(ids.length, processes, (connection, i) =>
            connection.challenges.complete(
              completeRequest(newChallenge(`c${round}.${i}`), `s${round}.${i}`, null),
            ),
          ),
          storage.sessions.revokeAll(ADA),
        ]);
        for (const connection of processes)
          assert.deepEqual(await connection.sessions.list(ADA), []);
        clock.advance(1);
      }
    },
  },
};
