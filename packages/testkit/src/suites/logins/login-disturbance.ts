import assert from 'node:assert/strict';
import { expectReservation, expectSession, tally } from '../../actions/outcomes.ts';
import { loginSuite } from '../../fixtures/login-fixture.ts';
import { ADA, AMPLE_LIMITS, newChallenge, newSession } from '../../samples/login-samples.ts';
import { disturbancesOf } from '../../suite.ts';

export const loginDisturbance = loginSuite(disturbancesOf('sessions and challenges'), {
  'returns the same outcomes for a session with a disturbance before each call': async ({
    disturbed: t,
  }) => {
    const record = await t.logIn(newSession('s1'));
    expectSession(await t.rotate(1, record), 'rotated');
    const newest = expectSession(await t.rotate(1, record), 'replayed');
    assert.deepEqual(await t.listSessions(), [newest]);
    assert.equal(await t.sessions.isLive(record), true);
    assert.equal(await t.sessions.revoke(record), true);
    await t.sessions.create(newSession('s2'), AMPLE_LIMITS);
    await t.sessions.revokeAll(ADA);
    assert.deepEqual(await t.listSessions(), []);
  },

  'returns the same outcomes for a challenge with a disturbance before each call': async ({
    disturbed: t,
  }) => {
    const challenge = await t.challenge('c1');
    expectReservation(await t.attempt(challenge));
    expectSession(await t.complete(challenge, 's1', 9), 'completed');
    assert.equal((await t.complete(challenge, 's2', 10)).outcome, 'gone');
    await t.challenges.unlock(ADA);
    await t.challenge('c2');
    expectReservation(await t.attempt(newChallenge('c2')));
    assert.equal((await t.complete(newChallenge('c2'), 's2', 9)).outcome, 'step_used');
  },

  'rotates once under 100 parallel calls during a disturbance': async (t) => {
    const record = await t.logIn(newSession('s1'));
    const results = await t.inParallelDisturbed((storage) => storage.rotate(1, record));
    assert.deepEqual(tally(results), { rotated: 1, replayed: 99 });
  },
});
