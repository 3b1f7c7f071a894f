import assert from 'node:assert/strict';
import { inParallel } from '../../actions/in-parallel.ts';
import { logIn } from '../../actions/log-in.ts';
import { expectReservation, expectSession, tally } from '../../actions/outcomes.ts';
import type { LoginFixture } from '../../fixtures/login-fixture.ts';
import {
  ADA,
  AMPLE_LIMITS,
  ATTEMPT_LIMITS,
  completeRequest,
  newChallenge,
  newSession,
  rotateRequest,
} from '../../samples/login-samples.ts';
import type { Suite } from '../../suite.ts';

/** A disturbance, such as a lost script cache or connection, changes no result. */
export const loginDisturbance: Suite<LoginFixture> = {
  name: 'sessions and challenges: disturbances that lose no data',
  needs: 'disturb',
  cases: {
    'returns the same outcomes for a session with a disturbance before each call': async ({
      sessions,
      disturb,
    }) => {
      const record = await logIn(sessions, newSession('s1'));
      await disturb();
      expectSession(await sessions.rotate(rotateRequest(1, record)), 'rotated');
      await disturb();
      const newest = expectSession(await sessions.rotate(rotateRequest(1, record)), 'replayed');
      await disturb();
      assert.deepEqual(await sessions.list(ADA), [newest]);
      await disturb();
      assert.equal(await sessions.isLive(record), true);
      await disturb();
      assert.equal(await sessions.revoke(record), true);
      await disturb();
      await sessions.create(newSession('s2'), AMPLE_LIMITS);
      await disturb();
      await sessions.revokeAll(ADA);
      await disturb();
      assert.deepEqual(await sessions.list(ADA), []);
    },

    'returns the same outcomes for a challenge with a disturbance before each call': async ({
      challenges,
      disturb,
    }) => {
      const challenge = newChallenge('c1');
      await challenges.create(challenge);
      await disturb();
      expectReservation(await challenges.reserveAttempt(challenge, ATTEMPT_LIMITS));
      await disturb();
      expectSession(await challenges.complete(completeRequest(challenge, 's1', 9)), 'completed');
      await disturb();
      assert.equal(
        (await challenges.complete(completeRequest(challenge, 's2', 10))).outcome,
        'gone',
      );
      await disturb();
      await challenges.unlock(ADA);
      await disturb();
      await challenges.create(newChallenge('c2'));
      await disturb();
      expectReservation(await challenges.reserveAttempt(newChallenge('c2'), ATTEMPT_LIMITS));
      await disturb();
      const next = await challenges.complete(completeRequest(newChallenge('c2'), 's2', 9));
      assert.equal(next.outcome, 'step_used');
    },

    'rotates once under 100 parallel calls during a disturbance': async ({
      sessions,
      connections,
      disturb,
    }) => {
      const record = await logIn(sessions, newSession('s1'));
      const processes = await connections(8);
      const [before, , after] = await Promise.all([
        inParallel(50, processes, (storage) => storage.sessions.rotate(rotateRequest(1, record))),
        disturb(),
        inParallel(50, processes, (storage) => storage.sessions.rotate(rotateRequest(1, record))),
      ]);
      assert.deepEqual(tally([...before, ...after]), { rotated: 1, replayed: 99 });
    },
  },
};
