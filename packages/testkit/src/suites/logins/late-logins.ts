import assert from 'node:assert/strict';
import { LONGEST_PENDING_MS } from '@latchhook/core/storage';
import { expectSession } from '../../actions/outcomes.ts';
import { type LoginFixture, loginSuite } from '../../fixtures/login-fixture.ts';
import { ADA, AMPLE_LIMITS, HOUR_MS, newSession } from '../../samples/login-samples.ts';

/** A lifetime that ends long before a late command can arrive. */
export const SHORT_MS = 1_000;

/**
 * A storage remembers ended sessions and challenges for as long as a command can be late, even if the clock is set
 * back.
 */
export const lateLogins = loginSuite('sessions and challenges: late commands', {
  'does not recreate an ended session on a late create(), even after the session has expired':
    async (t) => {
      const shortTimes = { idleMs: SHORT_MS, absoluteMs: SHORT_MS };
      const expiredSession = newSession('expired', shortTimes);
      const revokedSession = newSession('revoked', shortTimes);
      for (const session of [expiredSession, revokedSession]) await t.logIn(session);
      await t.sessions.revoke(revokedSession);
      t.clock.advance(LONGEST_PENDING_MS - 1);
      await logInOthers(t);
      for (const session of [expiredSession, revokedSession]) {
        await t.sessions.create(session, AMPLE_LIMITS);
        assert.equal(await t.sessions.isLive(session), false);
        const result = await t.rotate(1, session);
        assert.ok(['expired', 'revoked', 'unknown'].includes(result.outcome), result.outcome);
      }
      assert.deepEqual(await t.listSessions(), []);
    },

  'does not recreate an ended session after the clock was set back': async (t) => {
    const [revokedSession, reusedSession] = [newSession('revoked'), newSession('reused')];
    for (const session of [revokedSession, reusedSession]) await t.logIn(session);
    await t.sessions.revoke(revokedSession);
    for (const generation of [1, 2, 1]) await t.rotate(generation, reusedSession);
    t.clock.setBack(HOUR_MS);
    t.clock.advance(LONGEST_PENDING_MS - 1);
    await logInOthers(t);
    for (const session of [revokedSession, reusedSession]) {
      await t.sessions.create(session, AMPLE_LIMITS);
      assert.equal(await t.sessions.isLive(session), false);
    }
    assert.deepEqual(await t.listSessions(), []);
  },

  'does not recreate a used or expired challenge on a late create()': async (t) => {
    const usedChallenge = await t.challenge('used', { ttlMs: SHORT_MS });
    const expiredChallenge = await t.challenge('expired', { ttlMs: SHORT_MS });
    expectSession(await t.complete(usedChallenge, 's1', 9), 'completed');
    t.clock.advance(LONGEST_PENDING_MS - 1);
    await logInOthers(t);
    for (const challenge of [usedChallenge, expiredChallenge]) {
      await t.challenges.create(challenge);
      assert.equal((await t.attempt(challenge)).outcome, 'gone');
      assert.equal((await t.complete(challenge, 's2', 10)).outcome, 'gone');
    }
    assert.deepEqual(await t.listedIds(), ['s1']);
  },

  'returns stale_login even if the clock was set back after revokeAll()': async (t) => {
    t.clock.advance(50);
    await t.sessions.revokeAll(ADA);
    t.clock.setBack(HOUR_MS);
    t.clock.advance(50);
    // The login began 1 ms before revokeAll().
    await t.assertStaleLogin(51);
  },

  'returns stale_login even if the clock was set back between calls of revokeAll()': async (t) => {
    t.clock.advance(50);
    await t.sessions.revokeAll(ADA);
    t.clock.setBack(HOUR_MS);
    await t.sessions.revokeAll(ADA);
    // Sets the clock forward again.
    t.clock.setBack(-HOUR_MS);
    t.clock.advance(50);
    // The login began 1 ms before both calls of revokeAll().
    await t.assertStaleLogin(51);
  },
});

/** Logs in other users, because a storage may delete ended sessions and challenges during logins. */
async function logInOthers(t: LoginFixture): Promise<void> {
  for (let i = 0; i < 10; i += 1) {
    const userId = `user-${i}`;
    await t.logIn(newSession('s1', { userId }));
    await t.challenge('c1', { userId });
  }
}
