import assert from 'node:assert/strict';
import { logIn } from '../../actions/log-in.ts';
import { assertSessionEnded, expectReservation, expectSession } from '../../actions/outcomes.ts';
import type { LoginFixture } from '../../fixtures/login-fixture.ts';
import {
  ADA,
  AMPLE_LIMITS,
  ATTEMPT_LIMITS,
  completeRequest,
  MINUTE_MS,
  newChallenge,
  newSession,
  rotateRequest,
} from '../../samples/login-samples.ts';
import type { Suite } from '../../suite.ts';

export const sessionRevocation: Suite<LoginFixture> = {
  name: 'sessions: revocation',
  cases: {
    'ends a session and the grace of its predecessor on revoke()': async ({
      storage,
      sessions,
    }) => {
      const record = await logIn(sessions, newSession('s1'));
      await sessions.rotate(rotateRequest(1, record));
      assert.equal(await sessions.revoke(record), true);
      await assertSessionEnded(storage, record, 2);
    },

    'returns false to revoke() of an ended or unknown session': async ({ sessions }) => {
      const record = await logIn(sessions, newSession('s1'));
      assert.equal(await sessions.revoke(record), true);
      assert.equal(await sessions.revoke(record), false);
      assert.equal(await sessions.revoke(newSession('never')), false);
    },

    'keeps the other sessions of the user on revoke()': async ({ sessions }) => {
      const endedSession = await logIn(sessions, newSession('ended'));
      const other = await logIn(sessions, newSession('other'));
      await sessions.revoke(endedSession);
      assert.deepEqual(await sessions.list(ADA), [other]);
      expectSession(await sessions.rotate(rotateRequest(1, other)), 'rotated');
    },

    'ends every session of the user on revokeAll()': async ({ storage, sessions }) => {
      const records = [];
      for (const id of ['s1', 's2', 's3']) {
        const record = await logIn(sessions, newSession(id));
        await sessions.rotate(rotateRequest(1, record));
        records.push(record);
      }
      await sessions.revokeAll(ADA);
      assert.deepEqual(await sessions.list(ADA), []);
      for (const record of records) {
        await assertSessionEnded(storage, record, 2);
        assert.equal(await sessions.revoke(record), false);
      }
    },

    'ends every pending challenge of the user on revokeAll()': async ({ sessions, challenges }) => {
      const answered = newChallenge('answered');
      const untouchedChallenge = newChallenge('untouched');
      await challenges.create(answered);
      await challenges.create(untouchedChallenge);
      await challenges.reserveAttempt(answered, ATTEMPT_LIMITS);
      await sessions.revokeAll(ADA);
      assert.equal((await challenges.complete(completeRequest(answered, 's1', 9))).outcome, 'gone');
      const attempt = await challenges.reserveAttempt(untouchedChallenge, ATTEMPT_LIMITS);
      assert.equal(attempt.outcome, 'gone');
      assert.deepEqual(await sessions.list(ADA), []);
    },

    'returns stale_login for a login that began before or in the millisecond of revokeAll()':
      async ({ sessions, clock }) => {
        await sessions.revokeAll(ADA);
        const beganBefore = newSession('s1');
        assert.deepEqual(await sessions.create(beganBefore, AMPLE_LIMITS), {
          outcome: 'stale_login',
        });
        clock.advance(50);
        const lateLogin = { ...beganBefore, authenticationMs: 50 };
        assert.deepEqual(await sessions.create(lateLogin, AMPLE_LIMITS), {
          outcome: 'stale_login',
        });
        assert.deepEqual(await sessions.list(ADA), []);
        assert.equal(await sessions.isLive(lateLogin), false);
        await logIn(sessions, newSession('s2', { authenticationMs: 49 }));
      },

    'returns stale_login for a challenge whose login began before revokeAll()': async ({
      sessions,
      challenges,
      clock,
    }) => {
      await sessions.revokeAll(ADA);
      const beganBefore = newChallenge('c1');
      assert.deepEqual(await challenges.create(beganBefore), { outcome: 'stale_login' });
      clock.advance(50);
      const lateLogin = { ...beganBefore, authenticationMs: 50 };
      assert.deepEqual(await challenges.create(lateLogin), { outcome: 'stale_login' });
      const attempt = await challenges.reserveAttempt(lateLogin, ATTEMPT_LIMITS);
      assert.equal(attempt.outcome, 'gone');
      const beganAfter = newChallenge('c2', { authenticationMs: 49 });
      assert.deepEqual(await challenges.create(beganAfter), { outcome: 'created' });
      expectReservation(await challenges.reserveAttempt(beganAfter, ATTEMPT_LIMITS));
    },

    'returns stale_login up to an hour after revokeAll(), even after logins of other users':
      async ({ sessions, clock }) => {
        await sessions.revokeAll(ADA);
        const authenticationMs = 60 * MINUTE_MS - 1;
        clock.advance(authenticationMs);
        for (let i = 0; i < 20; i += 1) {
          await logIn(sessions, newSession('s1', { userId: `user-${i}` }));
        }
        const lateLogin = newSession('s1', { authenticationMs });
        assert.deepEqual(await sessions.create(lateLogin, AMPLE_LIMITS), {
          outcome: 'stale_login',
        });
      },

    'keeps logins that begin a millisecond after revokeAll()': async ({
      sessions,
      challenges,
      clock,
    }) => {
      await sessions.create(newSession('before'), AMPLE_LIMITS);
      await sessions.revokeAll(ADA);
      clock.advance(1);
      const after = await logIn(sessions, newSession('after'));
      const challenge = newChallenge('after');
      await challenges.create(challenge);
      await challenges.reserveAttempt(challenge, ATTEMPT_LIMITS);
      const result = await challenges.complete(completeRequest(challenge, 'completed', 9));
      const completed = expectSession(result, 'completed');
      expectSession(await sessions.rotate(rotateRequest(1, after)), 'rotated');
      expectSession(await sessions.rotate(rotateRequest(1, completed)), 'rotated');
      assert.equal((await sessions.list(ADA)).length, 2);
    },

    'ends the other sessions on revokeOthers(), but leaves the current session unchanged': async ({
      storage,
      sessions,
    }) => {
      const current = await logIn(sessions, newSession('current'));
      await sessions.rotate(rotateRequest(1, current));
      const other = await logIn(sessions, newSession('other'));
      await sessions.rotate(rotateRequest(1, other));
      await sessions.revokeOthers(current);
      await assertSessionEnded(storage, other, 2);
      assert.equal(await sessions.isLive(current), true);
      const [listed, ...others] = await sessions.list(ADA);
      assert.deepEqual(others, []);
      assert.equal(listed?.sessionId, 'current');
      assert.equal(
        expectSession(await sessions.rotate(rotateRequest(1, current)), 'replayed').generation,
        2,
      );
      assert.equal(
        expectSession(await sessions.rotate(rotateRequest(2, current)), 'rotated').generation,
        3,
      );
    },

    'does not extend the current session on revokeOthers()': async ({ sessions, clock }) => {
      const times = { idleMs: MINUTE_MS, absoluteMs: 2 * MINUTE_MS };
      const current = await logIn(sessions, newSession('current', times));
      clock.advance(MINUTE_MS - 1);
      await sessions.revokeOthers(current);
      assert.equal(await sessions.isLive(current), true);
      clock.advance(1);
      assert.equal(await sessions.isLive(current), false);
    },

    'ends every pending challenge of the user on revokeOthers()': async ({
      sessions,
      challenges,
    }) => {
      const current = await logIn(sessions, newSession('current'));
      const challenge = newChallenge('c1');
      await challenges.create(challenge);
      await sessions.revokeOthers(current);
      const attempt = await challenges.reserveAttempt(challenge, ATTEMPT_LIMITS);
      assert.equal(attempt.outcome, 'gone');
    },

    'returns stale_login for a login that began before revokeOthers()': async ({
      sessions,
      challenges,
      clock,
    }) => {
      const current = await logIn(sessions, newSession('current'));
      await sessions.revokeOthers(current);
      clock.advance(50);
      const lateTimes = { authenticationMs: 50 };
      const staleLogin = { outcome: 'stale_login' };
      assert.deepEqual(
        await sessions.create(newSession('s1', lateTimes), AMPLE_LIMITS),
        staleLogin,
      );
      assert.deepEqual(await challenges.create(newChallenge('c1', lateTimes)), staleLogin);
      await logIn(sessions, newSession('s2', { authenticationMs: 49 }));
      assert.equal((await sessions.list(ADA)).length, 2);
    },

    'ends all sessions on revokeOthers() if the current session is not live': async ({
      storage,
      sessions,
    }) => {
      const endedSession = await logIn(sessions, newSession('ended'));
      await sessions.rotate(rotateRequest(1, endedSession));
      await sessions.revoke(endedSession);
      const other = await logIn(sessions, newSession('other'));
      await sessions.rotate(rotateRequest(1, other));
      await sessions.revokeOthers(endedSession);
      await sessions.revokeOthers(newSession('never'));
      for (const record of [endedSession, other]) await assertSessionEnded(storage, record, 2);
    },

    'keeps the current session if revokeOthers() is repeated': async ({ sessions }) => {
      const current = await logIn(sessions, newSession('current'));
      await sessions.revokeOthers(current);
      await sessions.revokeOthers(current);
      assert.deepEqual(await sessions.list(ADA), [current]);
    },

    'keeps sessions of other users on revokeAll()': async ({ sessions }) => {
      const grace = await logIn(sessions, newSession('s1', { userId: 'user-grace' }));
      await sessions.create(newSession('s1'), AMPLE_LIMITS);
      await sessions.revokeAll(ADA);
      await sessions.revokeAll('user-unheard-of');
      assert.equal(await sessions.isLive(grace), true);
    },
  },
};
