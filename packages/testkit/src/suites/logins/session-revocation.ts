import assert from 'node:assert/strict';
import { expectReservation, expectSession } from '../../actions/outcomes.ts';
import type { LoginFixture } from '../../fixtures/login-fixture.ts';
import {
  ADA,
  AMPLE_LIMITS,
  MINUTE_MS,
  newChallenge,
  newSession,
} from '../../samples/login-samples.ts';
import { suiteOf } from '../../suite.ts';

const STALE_LOGIN = { outcome: 'stale_login' };

export const sessionRevocation = suiteOf<LoginFixture>('sessions: revocation', {
  'ends a session and the grace of its predecessor on revoke()': async (t) => {
    const record = await t.logIn(newSession('s1'));
    await t.rotate(1, record);
    assert.equal(await t.sessions.revoke(record), true);
    await t.assertSessionEnded(record, 2);
  },

  'returns false to revoke() of an ended or unknown session': async (t) => {
    const record = await t.logIn(newSession('s1'));
    assert.equal(await t.sessions.revoke(record), true);
    assert.equal(await t.sessions.revoke(record), false);
    assert.equal(await t.sessions.revoke(newSession('never')), false);
  },

  'keeps the other sessions of the user on revoke()': async (t) => {
    const endedSession = await t.logIn(newSession('ended'));
    const other = await t.logIn(newSession('other'));
    await t.sessions.revoke(endedSession);
    assert.deepEqual(await t.listSessions(), [other]);
    expectSession(await t.rotate(1, other), 'rotated');
  },

  'ends every session of the user on revokeAll()': async (t) => {
    const records = [];
    for (const id of ['s1', 's2', 's3']) {
      const record = await t.logIn(newSession(id));
      await t.rotate(1, record);
      records.push(record);
    }
    await t.sessions.revokeAll(ADA);
    assert.deepEqual(await t.listSessions(), []);
    for (const record of records) {
      await t.assertSessionEnded(record, 2);
      assert.equal(await t.sessions.revoke(record), false);
    }
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

  'returns stale_login for a login that began before or in the millisecond of revokeAll()': async (
    t,
  ) => {
    await t.sessions.revokeAll(ADA);
    const sameMillisecond = newSession('s1');
    assert.deepEqual(await t.sessions.create(sameMillisecond, AMPLE_LIMITS), STALE_LOGIN);
    t.clock.advance(50);
    const lateLogin = { ...sameMillisecond, authenticationMs: 50 };
    assert.deepEqual(await t.sessions.create(lateLogin, AMPLE_LIMITS), STALE_LOGIN);
    assert.deepEqual(await t.listSessions(), []);
    assert.equal(await t.sessions.isLive(lateLogin), false);
    await t.logIn(newSession('s2', { authenticationMs: 49 }));
  },

  'returns stale_login for a challenge whose login began before revokeAll()': async (t) => {
    await t.sessions.revokeAll(ADA);
    const sameMillisecond = newChallenge('c1');
    assert.deepEqual(await t.challenges.create(sameMillisecond), STALE_LOGIN);
    t.clock.advance(50);
    const lateLogin = { ...sameMillisecond, authenticationMs: 50 };
    assert.deepEqual(await t.challenges.create(lateLogin), STALE_LOGIN);
    const attempt = await t.attempt(lateLogin);
    assert.equal(attempt.outcome, 'gone');
    const beganAfter = newChallenge('c2', { authenticationMs: 49 });
    assert.deepEqual(await t.challenges.create(beganAfter), { outcome: 'created' });
    expectReservation(await t.attempt(beganAfter));
  },

  'returns stale_login up to an hour after revokeAll(), even after logins of other users': async (
    t,
  ) => {
    await t.sessions.revokeAll(ADA);
    const authenticationMs = 60 * MINUTE_MS - 1;
    t.clock.advance(authenticationMs);
    for (let i = 0; i < 20; i += 1) {
      await t.logIn(newSession('s1', { userId: `user-${i}` }));
    }
    const lateLogin = newSession('s1', { authenticationMs });
    assert.deepEqual(await t.sessions.create(lateLogin, AMPLE_LIMITS), STALE_LOGIN);
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

  'ends the other sessions on revokeOthers(), but leaves the current session unchanged': async (
    t,
  ) => {
    const current = await t.logIn(newSession('current'));
    await t.rotate(1, current);
    const other = await t.logIn(newSession('other'));
    await t.rotate(1, other);
    await t.sessions.revokeOthers(current);
    await t.assertSessionEnded(other, 2);
    assert.equal(await t.sessions.isLive(current), true);
    const [listed, ...others] = await t.listSessions();
    assert.deepEqual(others, []);
    assert.equal(listed?.sessionId, 'current');
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
    const lateTimes = { authenticationMs: 50 };
    const lateLogin = newSession('s1', lateTimes);
    assert.deepEqual(await t.sessions.create(lateLogin, AMPLE_LIMITS), STALE_LOGIN);
    assert.deepEqual(await t.challenges.create(newChallenge('c1', lateTimes)), STALE_LOGIN);
    await t.logIn(newSession('s2', { authenticationMs: 49 }));
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

  'keeps the current session if revokeOthers() is repeated': async (t) => {
    const current = await t.logIn(newSession('current'));
    await t.sessions.revokeOthers(current);
    await t.sessions.revokeOthers(current);
    assert.deepEqual(await t.listSessions(), [current]);
  },

  'keeps sessions of other users on revokeAll()': async (t) => {
    const grace = await t.logIn(newSession('s1', { userId: 'user-grace' }));
    await t.sessions.create(newSession('s1'), AMPLE_LIMITS);
    await t.sessions.revokeAll(ADA);
    await t.sessions.revokeAll('user-unheard-of');
    assert.equal(await t.sessions.isLive(grace), true);
  },
});
