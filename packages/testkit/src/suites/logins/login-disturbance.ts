import assert from 'node:assert/strict';
import { inParallel } from '../../actions/in-parallel.ts';
import { expectReservation, expectSession, tally } from '../../actions/outcomes.ts';
import type { LoginFixture } from '../../fixtures/login-fixture.ts';
import { ADA, AMPLE_LIMITS, newChallenge, newSession } from '../../samples/login-samples.ts';
import type { Suite } from '../../suite.ts';

/** A disturbance, such as a lost script cache or connection, changes no result. */
export const loginDisturbance: Suite<LoginFixture> = {
  name: 'sessions and challenges: disturbances that lose no data',
  needs: 'disturb',
  cases: {
    'returns the same outcomes for a session with a disturbance before each call': async (t) => {
      const record = await t.logIn(newSession('s1'));
      await t.disturb();
      expectSession(await t.rotate(1, record), 'rotated');
      await t.disturb();
      const newest = expectSession(await t.rotate(1, record), 'replayed');
      await t.disturb();
      assert.deepEqual(await t.listSessions(), [newest]);
      await t.disturb();
      assert.equal(await t.sessions.isLive(record), true);
      await t.disturb();
      assert.equal(await t.sessions.revoke(record), true);
      await t.disturb();
      await t.sessions.create(newSession('s2'), AMPLE_LIMITS);
      await t.disturb();
      await t.sessions.revokeAll(ADA);
      await t.disturb();
      assert.deepEqual(await t.listSessions(), []);
    },

    'returns the same outcomes for a challenge with a disturbance before each call': async (t) => {
      const challenge = await t.challenge('c1');
      await t.disturb();
      expectReservation(await t.attempt(challenge));
      await t.disturb();
      expectSession(await t.complete(challenge, 's1', 9), 'completed');
      await t.disturb();
      assert.equal((await t.complete(challenge, 's2', 10)).outcome, 'gone');
      await t.disturb();
      await t.challenges.unlock(ADA);
      await t.disturb();
      await t.challenge('c2');
      await t.disturb();
      expectReservation(await t.attempt(newChallenge('c2')));
      await t.disturb();
      assert.equal((await t.complete(newChallenge('c2'), 's2', 9)).outcome, 'step_used');
    },

    'rotates once under 100 parallel calls during a disturbance': async (t) => {
      const record = await t.logIn(newSession('s1'));
      const processes = await t.connections(8);
      const [before, , after] = await Promise.all([
        inParallel(50, processes, (storage) => storage.rotate(1, record)),
        t.disturb(),
        inParallel(50, processes, (storage) => storage.rotate(1, record)),
      ]);
      assert.deepEqual(tally([...before, ...after]), { rotated: 1, replayed: 99 });
    },
  },
};
