import assert from 'node:assert/strict';
import { LONGEST_PENDING_MS } from '@latchhook/core/storage';
import { logIn } from '../../actions/log-in.ts';
import { expectSession } from '../../actions/outcomes.ts';
import type { LoginFixture } from '../../fixtures/login-fixture.ts';
import {
  ADA,
  AMPLE_LIMITS,
  ATTEMPT_LIMITS,
  completeRequest,
  HOUR_MS,
  newChallenge,
  newSession,
  rotateRequest,
} from '../../samples/login-samples.ts';
import type { Suite } from '../../suite.ts';

const STALE_LOGIN = { outcome: 'stale_login' };
/** Much shorter than a command can be late. */
export const SHORT_MS = 1_000;

/**
 * A storage remembers ended sessions and challenges for as long as a command can be late, even if the clock is set
 * back.
 */
export const lateLogins: Suite<LoginFixture> = {
  name: 'sessions and challenges: late commands',
  cases: {
    'does not recreate an ended session on a late create(), even after the session expired': async (
      fixture,
    ) => {
      const { sessions, clock } = fixture;
      const shortTimes = { idleMs: SHORT_MS, absoluteMs: SHORT_MS };
      const [expiredSession, revokedSession] = [
        newSession('expired', shortTimes),
        newSession('revoked', shortTimes),
      ];
      for (const session of [expiredSession, revokedSession]) await logIn(sessions, session);
      await sessions.revoke(revokedSession);
      clock.advance(LONGEST_PENDING_MS - 1);
      await logInOthers(fixture);
      for (const session of [expiredSession, revokedSession]) {
        await sessions.create(session, AMPLE_LIMITS);
        assert.equal(await sessions.isLive(session), false);
        const result = await sessions.rotate(rotateRequest(1, session));
        assert.ok(['expired', 'revoked', 'unknown'].includes(result.outcome), result.outcome);
      }
      assert.deepEqual(await sessions.list(ADA), []);
    },

    'does not recreate an ended session on a late create() after the clock was set back': async (
      fixture,
    ) => {
      const { sessions, clock } = fixture;
      const [revokedSession, reusedSession] = [newSession('revoked'), newSession('reused')];
      for (const session of [revokedSession, reusedSession]) await logIn(sessions, session);
      await sessions.revoke(revokedSession);
      for (const generation of [1, 2, 1])
        await sessions.rotate(rotateRequest(generation, reusedSession));
      clock.setBack(HOUR_MS);
      clock.advance(LONGEST_PENDING_MS - 1);
      await logInOthers(fixture);
      for (const session of [revokedSession, reusedSession]) {
        await sessions.create(session, AMPLE_LIMITS);
        assert.equal(await sessions.isLive(session), false);
      }
      assert.deepEqual(await sessions.list(ADA), []);
    },

    'does not recreate a used or expired challenge on a late create()': async (fixture) => {
      const { challenges, sessions, clock } = fixture;
      const [usedChallenge, expiredChallenge] = ['used', 'expired'].map((id) =>
        newChallenge(id, { ttlMs: SHORT_MS }),
      );
      assert.ok(usedChallenge !== undefined && expiredChallenge !== undefined);
      for (const challenge of [usedChallenge, expiredChallenge]) await challenges.create(challenge);
      const session = expectSession(
        await challenges.complete(completeRequest(usedChallenge, 's1', 9)),
        'completed',
      );
      clock.advance(LONGEST_PENDING_MS - 1);
      await logInOthers(fixture);
      for (const challenge of [usedChallenge, expiredChallenge]) {
        await challenges.create(challenge);
        const attempt = await challenges.reserveAttempt(challenge, ATTEMPT_LIMITS);
        assert.equal(attempt.outcome, 'gone');
        const completed = await challenges.complete(completeRequest(challenge, 's2', 10));
        assert.equal(completed.outcome, 'gone');
      }
      const listed = (await sessions.list(ADA)).map(({ sessionId }) => sessionId);
      assert.deepEqual(listed, [session.sessionId]);
    },

    'returns stale_login for a login from before revokeAll(), even after the clock was set back':
      async ({ sessions, challenges, clock }) => {
        clock.advance(50);
        await sessions.revokeAll(ADA);
        clock.setBack(HOUR_MS);
        clock.advance(50);
        // The login began 1 ms before revokeAll().
        const beganBefore = { authenticationMs: 51 };
        assert.deepEqual(
          await sessions.create(newSession('s1', beganBefore), AMPLE_LIMITS),
          STALE_LOGIN,
        );
        assert.deepEqual(await challenges.create(newChallenge('c1', beganBefore)), STALE_LOGIN);
      },

    'returns stale_login even if the clock was set back between two calls of revokeAll()': async ({
      sessions,
      challenges,
      clock,
    }) => {
      clock.advance(50);
      await sessions.revokeAll(ADA);
      clock.setBack(HOUR_MS);
      await sessions.revokeAll(ADA);
      clock.setBack(-HOUR_MS);
      clock.advance(50);
      // The login began 1 ms before revokeAll().
      const beganBefore = { authenticationMs: 51 };
      assert.deepEqual(
        await sessions.create(newSession('s1', beganBefore), AMPLE_LIMITS),
        STALE_LOGIN,
      );
      assert.deepEqual(await challenges.create(newChallenge('c1', beganBefore)), STALE_LOGIN);
    },
  },
};

/** Logs in other users, because a storage may delete ended sessions and challenges during logins. */
async function logInOthers({ sessions, challenges }: LoginFixture): Promise<void> {
  for (let i = 0; i < 10; i += 1) {
    const userId = `user-${i}`;
    await logIn(sessions, newSession('s1', { userId }));
    await challenges.create(newChallenge('c1', { userId }));
  }
}
