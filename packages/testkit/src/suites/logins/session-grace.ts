import assert from 'node:assert/strict';
import { assertExpired, expectSession, tally } from '../../actions/outcomes.ts';
import { loginSuite } from '../../fixtures/login-fixture.ts';
import { DEFAULTS, newSession, rotateRequest } from '../../samples/login-samples.ts';

const { graceMs, idleMs } = DEFAULTS;

export const sessionGrace = loginSuite('sessions: grace after a lost response', {
  'returns the same successor to the immediate predecessor': async (t) => {
    const record = await t.logIn(newSession('s1'));
    const winner = expectSession(await t.rotate(1, record), 'rotated');
    for (let retry = 0; retry < 5; retry += 1) {
      t.clock.advance(1000);
      const result = await t.rotate(1, record);
      assert.deepEqual(expectSession(result, 'replayed'), winner);
    }
  },

  'returns replayed up to and including graceMs, then reused even after a replay': async (t) => {
    const record = await t.logIn(newSession('s1'));
    await t.rotate(1, record);
    t.clock.advance(graceMs);
    assert.equal((await t.rotate(1, record)).outcome, 'replayed');
    t.clock.advance(1);
    assert.equal((await t.rotate(1, record)).outcome, 'reused');
  },

  'changes neither rotatedAtMs nor the expiry of a session on a replay': async (t) => {
    const record = await t.logIn(newSession('s1'));
    const winner = expectSession(await t.rotate(1, record), 'rotated');
    t.clock.advance(graceMs);
    await t.rotate(1, record);
    assert.deepEqual(await t.listSessions(), [winner]);
    t.clock.advance(idleMs - graceMs);
    assertExpired(await t.rotate(2, record));
  },

  'returns busy after replayLimit replays without ending the session': async (t) => {
    const record = await t.logIn(newSession('s1'));
    const retry = rotateRequest(1, record, { replayLimit: 3 });
    const results = [];
    for (let i = 0; i < 6; i += 1) results.push(await t.sessions.rotate(retry));
    assert.deepEqual(tally(results), { rotated: 1, replayed: 3, busy: 2 });
    assert.equal(await t.sessions.isLive(record), true);
    expectSession(await t.rotate(2, record), 'rotated');
  },

  'counts the replays of each generation separately': async (t) => {
    const record = await t.logIn(newSession('s1'));
    for (const generation of [1, 2, 3]) {
      const retry = rotateRequest(generation, record, { replayLimit: 2 });
      const results = [];
      for (let i = 0; i < 3; i += 1) results.push(await t.sessions.rotate(retry));
      assert.deepEqual(tally(results), { rotated: 1, replayed: 2 });
    }
  },
});
