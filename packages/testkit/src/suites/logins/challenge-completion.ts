import assert from 'node:assert/strict';
import { attemptAtNewChallenge, attemptRepeatedly } from '../../actions/code-attempts.ts';
import { expectReservation, expectSession, tally } from '../../actions/outcomes.ts';
import type { LoginFixture } from '../../fixtures/login-fixture.ts';
import {
  ADA,
  AMPLE_LIMITS,
  ATTEMPT_LIMITS,
  completeRequest,
  DEFAULTS,
  newChallenge,
  newSession,
  rotateRequest,
} from '../../samples/login-samples.ts';
import type { Suite } from '../../suite.ts';

const STEP = 56_666_666;

export const challengeCompletion: Suite<LoginFixture> = {
  name: 'challenges: completion',
  cases: {
    'creates the session with timestamps of the storage clock': async ({
      challenges,
      sessions,
      clock,
    }) => {
      const challenge = newChallenge('c1');
      await challenges.create(challenge);
      await challenges.reserveAttempt(challenge, ATTEMPT_LIMITS);
      clock.advance(1234);
      const completed = expectSession(
        await challenges.complete(completeRequest(challenge, 's1', STEP)),
        'completed',
      );
      const { idleMs, absoluteMs, authenticationMs, ...grant } = newSession('s1');
      assert.deepEqual(completed, {
        ...grant,
        generation: 1,
        createdAtMs: clock.nowMs(),
        rotatedAtMs: clock.nowMs(),
        expiresAtMs: clock.nowMs() + absoluteMs,
      });
      assert.deepEqual(await sessions.list(ADA), [completed]);
      expectSession(await sessions.rotate(rotateRequest(1, completed)), 'rotated');
    },

    'returns gone for a completed challenge': async ({ challenges, sessions }) => {
      const challenge = newChallenge('c1');
      await challenges.create(challenge);
      expectSession(await challenges.complete(completeRequest(challenge, 's1', STEP)), 'completed');
      const attempt = await challenges.reserveAttempt(challenge, ATTEMPT_LIMITS);
      assert.equal(attempt.outcome, 'gone');
      const repeated = await challenges.complete(completeRequest(challenge, 's2', STEP + 1));
      assert.equal(repeated.outcome, 'gone');
      assert.equal((await sessions.list(ADA)).length, 1);
    },

    'completes a challenge after a reserved attempt, even if a later attempt was rejected': async ({
      challenges,
    }) => {
      const challenge = newChallenge('c1');
      await challenges.create(challenge);
      const results = await attemptRepeatedly(challenges, challenge, 6);
      assert.deepEqual(tally(results), { reserved: 5, gone: 1 });
      expectSession(await challenges.complete(completeRequest(challenge, 's1', STEP)), 'completed');
    },

    'completes a challenge only before ttlMs has passed': async ({
      challenges,
      sessions,
      clock,
    }) => {
      const timelyChallenge = newChallenge('in-time');
      const lateChallenge = newChallenge('late');
      await challenges.create(timelyChallenge);
      await challenges.create(lateChallenge);
      clock.advance(DEFAULTS.challengeTtlMs - 1);
      expectSession(
        await challenges.complete(completeRequest(timelyChallenge, 's1', STEP)),
        'completed',
      );
      clock.advance(1);
      assert.equal(
        (await challenges.complete(completeRequest(lateChallenge, 's2', STEP + 1))).outcome,
        'gone',
      );
      assert.equal((await sessions.list(ADA)).length, 1);
    },

    'finds a challenge only by user id and challenge id': async ({ challenges, sessions }) => {
      await challenges.create(newChallenge('c1'));
      const foreignChallenge = newChallenge('c1', { userId: 'user-grace' });
      assert.equal(
        (await challenges.complete(completeRequest(foreignChallenge, 's1', STEP))).outcome,
        'gone',
      );
      const unknownChallenge = newChallenge('never');
      assert.equal(
        (await challenges.complete(completeRequest(unknownChallenge, 's2', STEP))).outcome,
        'gone',
      );
      assert.deepEqual(await sessions.list('user-grace'), []);
      assert.deepEqual(await sessions.list(ADA), []);
    },

    'returns step_used for the last accepted time step and for earlier ones': async ({
      challenges,
      sessions,
    }) => {
      for (const id of ['c1', 'c2', 'c3']) await challenges.create(newChallenge(id));
      const complete = (id: string, step: number) =>
        challenges.complete(completeRequest(newChallenge(id), `session of ${id}`, step));
      expectSession(await complete('c1', STEP), 'completed');
      assert.equal((await complete('c2', STEP)).outcome, 'step_used');
      assert.equal((await complete('c2', STEP - 1)).outcome, 'step_used');
      assert.equal((await sessions.list(ADA)).length, 1);
      expectSession(await complete('c2', STEP + 1), 'completed');
      assert.equal((await complete('c3', STEP)).outcome, 'step_used');
    },

    'leaves the challenge and the failures of its user unchanged on step_used': async ({
      challenges,
    }) => {
      const challenge = newChallenge('c1');
      await challenges.create(newChallenge('c0'));
      await challenges.complete(completeRequest(newChallenge('c0'), 's0', STEP));
      await challenges.create(challenge);
      await challenges.reserveAttempt(challenge, ATTEMPT_LIMITS);
      await challenges.complete(completeRequest(challenge, 's1', STEP));
      const attempt = await challenges.reserveAttempt(challenge, ATTEMPT_LIMITS);
      assert.equal(expectReservation(attempt).attemptsRemaining, ATTEMPT_LIMITS.perChallenge - 2);
      const repeated = await challenges.complete(completeRequest(challenge, 's1', STEP));
      assert.equal(repeated.outcome, 'step_used');
      // The two failed attempts still count: the attempt that reaches `perUser` locks the factor, and none before.
      for (let i = 3; i < ATTEMPT_LIMITS.perUser; i += 1) {
        const next = expectReservation(await attemptAtNewChallenge(challenges, `c${i}`));
        assert.equal(next.lockedUntilMs, null);
      }
      assert.notEqual(
        expectReservation(await attemptAtNewChallenge(challenges, 'last')).lockedUntilMs,
        null,
      );
    },

    'consumes no time step if a recovery code completes the challenge': async ({ challenges }) => {
      for (const id of ['c1', 'c2', 'c3']) await challenges.create(newChallenge(id));
      const complete = (id: string, step: number | null) =>
        challenges.complete(completeRequest(newChallenge(id), `session of ${id}`, step));
      expectSession(await complete('c1', STEP), 'completed');
      expectSession(await complete('c2', null), 'completed');
      assert.equal((await complete('c3', STEP)).outcome, 'step_used');
      expectSession(await complete('c3', STEP + 1), 'completed');
    },

    'accepts the same time step from two users': async ({ challenges }) => {
      const grace = newChallenge('c1', { userId: 'user-grace' });
      await challenges.create(newChallenge('c1'));
      await challenges.create(grace);
      await challenges.complete(completeRequest(newChallenge('c1'), 's1', STEP));
      expectSession(await challenges.complete(completeRequest(grace, 's2', STEP)), 'completed');
    },

    'ends the oldest session beyond maxSessionsPerUser': async ({
      challenges,
      sessions,
      clock,
    }) => {
      for (const id of ['s1', 's2']) {
        await sessions.create(newSession(id), AMPLE_LIMITS);
        clock.advance(1);
      }
      const challenge = newChallenge('c1');
      await challenges.create(challenge);
      await challenges.complete(completeRequest(challenge, 's3', STEP, { maxSessionsPerUser: 2 }));
      const listed = await sessions.list(ADA);
      assert.deepEqual(
        listed.map(({ sessionId }) => sessionId),
        ['s3', 's2'],
      );
    },
  },
};
