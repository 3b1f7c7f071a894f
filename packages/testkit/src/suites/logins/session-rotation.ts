import assert from 'node:assert/strict';
import { expectSession } from '../../actions/outcomes.ts';
import { loginSuite } from '../../fixtures/login-fixture.ts';
import { newSession, rotateRequest } from '../../samples/login-samples.ts';

export const sessionRotation = loginSuite('sessions: rotation', {
  'exchanges generation n for n + 1, any number of times': async (t) => {
    const record = await t.logIn(newSession('s1'));
    for (let generation = 1; generation <= 20; generation += 1) {
      t.clock.advance(1);
      const result = await t.rotate(generation, record);
      assert.equal(expectSession(result, 'rotated').generation, generation + 1);
    }
  },

  'changes only generation and rotatedAtMs of a rotated session': async (t) => {
    const record = await t.logIn(newSession('s1'));
    t.clock.advance(1234);
    const rotated = expectSession(await t.rotate(1, record), 'rotated');
    assert.deepEqual(rotated, { ...record, generation: 2, rotatedAtMs: t.clock.nowMs() });
    assert.deepEqual(await t.listSessions(), [rotated]);
  },

  'returns the time of the storage clock with a rotated or replayed session': async (t) => {
    const record = await t.logIn(newSession('s1'));
    t.clock.advance(1234);
    for (const expected of ['rotated', 'replayed'] as const) {
      const result = await t.rotate(1, record);
      assert.equal(result.outcome, expected);
      assert.equal('nowMs' in result && result.nowMs, t.clock.nowMs());
    }
  },

  'returns unknown for a session that never existed': async (t) => {
    assert.equal((await t.rotate(1, newSession('never'))).outcome, 'unknown');
    assert.equal(await t.sessions.isLive(newSession('never')), false);
  },

  'rolls forward to a token that is ahead of a store that lost writes': async (t) => {
    const record = await t.logIn(newSession('s1'));
    t.clock.advance(1);
    const ahead = rotateRequest(4, record, { rollForwardLimit: 3 });
    const rolledForward = expectSession(await t.sessions.rotate(ahead), 'rolled_forward');
    assert.deepEqual(rolledForward, { ...record, generation: 5, rotatedAtMs: t.clock.nowMs() });
    // Like after any rotation, the immediate predecessor has a grace, and older generations have none.
    assert.equal(expectSession(await t.sessions.rotate(ahead), 'replayed').generation, 5);
    assert.equal((await t.rotate(1, record)).outcome, 'reused');
  },

  'returns unknown to a token beyond rollForwardLimit without changing the session': async (t) => {
    const record = await t.logIn(newSession('s1'));
    const tooFar = rotateRequest(5, record, { rollForwardLimit: 3 });
    assert.equal((await t.sessions.rotate(tooFar)).outcome, 'unknown');
    assert.deepEqual(await t.listSessions(), [record]);
    expectSession(await t.rotate(1, record), 'rotated');
  },
});
