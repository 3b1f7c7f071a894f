import assert from 'node:assert/strict';
import { expectReservation, expectSession } from '../../actions/outcomes.ts';
import { loginSuite } from '../../fixtures/login-fixture.ts';
import {
  ADA,
  AMPLE_LIMITS,
  GRACE,
  HOUR_MS,
  MINUTE_MS,
  newSession,
} from '../../samples/login-samples.ts';

export const sessionRevocation = loginSuite('sessions: revocation', {
  'ends only the given session on revoke(), and its grace too': async (t) => {
    const record = await t.logIn(newSession('s1'));
    const other = await t.logIn(newSession('other'));
    await t.rotate(1, record);
    assert.equal(await t.sessions.revoke(record), true);
    await t.assertSessionEnded(record, 2);
    for (const ref of [record, newSession('never')]) {
      assert.equal(await t.sessions.revoke(ref), false);
    }
    assert.deepEqual(await t.listSessions(), [other]);
    expectSession(await t.rotate(1, other), 'rotated');
  },

  'ends every session of the user on revokeAll(), but none of other users': async (t) => {
    const ids = ['s1', 's2', 's3'];
    const grace = await t.logIn(newSession('s1', { userId: GRACE }));
    for (const id of ids) await t.rotate(1, await t.logIn(newSession(id)));
    await t.sessions.revokeAll(ADA);
    await t.sessions.revokeAll('user-unheard-of');
    assert.deepEqual(await t.listSessions(), []);
    for (const id of ids) {
      await t.assertSessionEnded(newSession(id), 2);
      assert.equal(await t.sessions.revoke(newSession(id)), false);
    }
    assert.equal(await t.sessions.isLive(grace), true);
  },

  'ends every pending challenge of the user on revokeAll()': async (t) => {
    const answered = await t.challenge('answered');
    const untouchedChallenge = await t.challenge('untouched');
    await t.attempt(answered);
    await t.sessions.revokeAll(ADA);
    assert.equal((await t.complete(answered, 's1', 9)).outcome, 'gone');
    assert.equal((await t.attempt(untouchedChallenge)).outcome, 'gone');
    assert.deepEqual(await t.listSessions(), []);
  },

  'returns stale_login for a login that began no later than revokeAll()': async (t) => {
    await t.sessions.revokeAll(ADA);
    await t.assertStaleLogin(0);
    t.clock.advance(50);
    await t.assertStaleLogin(50);
    await t.logIn(newSession('s1', { loginAgeMs: 49 }));
    expectReservation(await t.attempt(await t.challenge('c1', { loginAgeMs: 49 })));
  },

  'returns stale_login for an hour after revokeAll(), even after other logins': async (t) => {
    await t.sessions.revokeAll(ADA);
    const loginAgeMs = HOUR_MS - 1;
    t.clock.advance(loginAgeMs);
    for (let i = 0; i < 20; i += 1) {
      await t.logIn(newSession('s1', { userId: `user-${i}` }));
    }
    await t.assertStaleLogin(loginAgeMs);
  },

  'keeps logins that begin a millisecond after revokeAll()': async (t) => {
    await t.sessions.create(newSession('before'), AMPLE_LIMITS);
    await t.sessions.revokeAll(ADA);
    t.clock.advance(1);
    const after = await t.logIn(newSession('after'));
    const challenge = await t.challenge('after');
    await t.attempt(challenge);
    const result = await t.complete(challenge, 'completed', 9);
    const completed = expectSession(result, 'completed');
    expectSession(await t.rotate(1, after), 'rotated');
    expectSession(await t.rotate(1, completed), 'rotated');
    assert.equal((await t.listSessions()).length, 2);
  },

  'ends only the other sessions on revokeOthers(), even if it is repeated': async (t) => {
    const current = await t.logIn(newSession('current'));
    const rotated = expectSession(await t.rotate(1, current), 'rotated');
    const other = await t.logIn(newSession('other'));
    await t.rotate(1, other);
    for (let call = 0; call < 2; call += 1) {
      await t.sessions.revokeOthers(current);
      await t.assertSessionEnded(other, 2);
      assert.equal(await t.sessions.isLive(current), true);
      assert.deepEqual(await t.listSessions(), [rotated]);
    }
    assert.equal(expectSession(await t.rotate(1, current), 'replayed').generation, 2);
    assert.equal(expectSession(await t.rotate(2, current), 'rotated').generation, 3);
  },

  'does not extend the current session on revokeOthers()': async (t) => {
    const times = { idleMs: MINUTE_MS, absoluteMs: 2 * MINUTE_MS };
    const current = await t.logIn(newSession('current', times));
    t.clock.advance(MINUTE_MS - 1);
    await t.sessions.revokeOthers(current);
    assert.equal(await t.sessions.isLive(current), true);
    t.clock.advance(1);
    assert.equal(await t.sessions.isLive(current), false);
  },

  'ends every pending challenge of the user on revokeOthers()': async (t) => {
    const current = await t.logIn(newSession('current'));
    const challenge = await t.challenge('c1');
    await t.sessions.revokeOthers(current);
    assert.equal((await t.attempt(challenge)).outcome, 'gone');
  },

  'returns stale_login for a login that began before revokeOthers()': async (t) => {
    const current = await t.logIn(newSession('current'));
    await t.sessions.revokeOthers(current);
    t.clock.advance(50);
    await t.assertStaleLogin(50);
    await t.logIn(newSession('s2', { loginAgeMs: 49 }));
    assert.equal((await t.listSessions()).length, 2);
  },

  'ends all sessions on revokeOthers() if the current session is not live': async (t) => {
    const endedSession = await t.logIn(newSession('ended'));
    await t.rotate(1, endedSession);
    await t.sessions.revoke(endedSession);
    const other = await t.logIn(newSession('other'));
    await t.rotate(1, other);
    await t.sessions.revokeOthers(endedSession);
    await t.sessions.revokeOthers(newSession('never'));
    for (const record of [endedSession, other]) await t.assertSessionEnded(record, 2);
  },
});
