import assert from 'node:assert/strict';
import { logInEach, loginSuite } from '../../fixtures/login-fixture.ts';
import { AMPLE_LIMITS, newSession } from '../../samples/login-samples.ts';

export const sessionList = loginSuite('sessions: list', {
  'lists the most recently rotated session first': async (t) => {
    await logInEach(t, ['s1', 's2', 's3']);
    await t.rotate(1, newSession('s1'));
    t.clock.advance(1);
    await t.rotate(1, newSession('s3'));
    assert.deepEqual(await t.listedIds(), ['s3', 's1', 's2']);
  },

  'returns an empty list for an unknown user': async (t) => {
    await t.sessions.create(newSession('s1'), AMPLE_LIMITS);
    assert.deepEqual(await t.listSessions('user-unheard-of'), []);
  },

  'lists all of a hundred sessions of a user': async (t) => {
    const ids = Array.from({ length: AMPLE_LIMITS.maxPerUser }, (_, i) => `s${i}`);
    for (const id of ids) await t.sessions.create(newSession(id), AMPLE_LIMITS);
    assert.deepEqual((await t.listedIds()).sort(), ids.sort());
  },
});
