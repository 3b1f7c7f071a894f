import assert from 'node:assert/strict';
import { expectSession } from '../../actions/outcomes.ts';
import { logInEach, loginSuite } from '../../fixtures/login-fixture.ts';
import { DAY_MS, HOUR_MS, newSession } from '../../samples/login-samples.ts';

const MAX_THREE = { maxPerUser: 3 } as const;

export const sessionCap = loginSuite('sessions: cap per user', {
  'ends the least recently rotated session beyond maxPerUser': async (t) => {
    await logInEach(t, ['s1', 's2', 's3'], MAX_THREE);
    await t.rotate(1, newSession('s1'));
    t.clock.advance(1);
    await t.sessions.create(newSession('s4'), MAX_THREE);
    assert.deepEqual((await t.listedIds()).sort(), ['s1', 's3', 's4']);
    const result = await t.rotate(1, newSession('s2'));
    assert.ok(['revoked', 'unknown'].includes(result.outcome), result.outcome);
    assert.equal(await t.sessions.isLive(newSession('s2')), false);
  },

  'ends all sessions that exceed maxPerUser': async (t) => {
    await logInEach(t, ['s1', 's2', 's3', 's4', 's5']);
    await t.sessions.create(newSession('s6'), MAX_THREE);
    assert.deepEqual((await t.listedIds()).sort(), ['s4', 's5', 's6']);
  },

  'keeps the new session even if all sessions were created in the same millisecond': async (t) => {
    for (let i = 0; i < 20; i += 1) {
      const record = await t.logIn(newSession(`s${i}`), MAX_THREE);
      assert.equal(await t.sessions.isLive(record), true);
    }
    assert.equal((await t.listSessions()).length, 3);
  },

  'counts no revoked or expired session towards maxPerUser': async (t) => {
    const oldest = await t.logIn(newSession('oldest'), MAX_THREE);
    t.clock.advance(1);
    const revokedSession = await t.logIn(newSession('revoked'), MAX_THREE);
    await t.sessions.create(newSession('expired', { absoluteMs: DAY_MS }), MAX_THREE);
    await t.sessions.revoke(revokedSession);
    t.clock.advance(DAY_MS);
    await t.sessions.create(newSession('s4'), MAX_THREE);
    await t.sessions.create(newSession('s5'), MAX_THREE);
    assert.deepEqual((await t.listedIds()).sort(), ['oldest', 's4', 's5']);
    expectSession(await t.rotate(1, oldest), 'rotated');
  },

  'ends the oldest live session even if other sessions expired long ago': async (t) => {
    await t.sessions.create(newSession('over', { absoluteMs: DAY_MS }), MAX_THREE);
    for (const id of ['s1', 's2']) {
      t.clock.advance(1);
      await t.sessions.create(newSession(id), MAX_THREE);
    }
    t.clock.advance(DAY_MS + 2 * HOUR_MS);
    await t.sessions.create(newSession('s3'), MAX_THREE);
    t.clock.advance(1);
    await t.sessions.create(newSession('s4'), MAX_THREE);
    assert.deepEqual((await t.listedIds()).sort(), ['s2', 's3', 's4']);
  },

  'ends no session if create() is repeated': async (t) => {
    await logInEach(t, ['s1', 's2', 's3'], MAX_THREE);
    await t.sessions.create(newSession('s3'), MAX_THREE);
    assert.deepEqual((await t.listedIds()).sort(), ['s1', 's2', 's3']);
  },

  'limits the sessions of each user separately': async (t) => {
    await t.sessions.create(newSession('s1'), { maxPerUser: 1 });
    t.clock.advance(1);
    await t.sessions.create(newSession('s2', { userId: 'user-grace' }), { maxPerUser: 1 });
    assert.deepEqual((await t.listedIds()).sort(), ['s1']);
  },
});
