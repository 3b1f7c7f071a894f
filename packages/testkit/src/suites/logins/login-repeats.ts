import assert from 'node:assert/strict';
import { attemptAtNewChallenge } from '../../actions/code-attempts.ts';
import { inParallel } from '../../actions/in-parallel.ts';
import { logIn } from '../../actions/log-in.ts';
import { assertSessionEnded, expectReservation, expectSession } from '../../actions/outcomes.ts';
import type { LoginFixture } from '../../fixtures/login-fixture.ts';
import {
  ADA,
  AMPLE_LIMITS,
  ATTEMPT_LIMITS,
  completeRequest,
  DAY_MS,
  DEFAULTS,
  newChallenge,
  newSession,
  rotateRequest,
} from '../../samples/login-samples.ts';
import type { Suite } from '../../suite.ts';

/**
 * A client that lost the response, or a driver after a dropped connection, repeats a command; or a process dies between
 * two commands. A command that succeeded stays in effect, and its repetition does no harm.
 */
export const loginRepeats: Suite<LoginFixture> = {
  name: 'sessions and challenges: repeated commands',
  cases: {
    'creates one session if every command of a login is repeated': async ({
      challenges,
      sessions,
    }) => {
      const twice = async <Result>(command: () => Promise<Result>): Promise<Result> => {
        await command();
        return command();
      };
      const challenge = newChallenge('c1');
      await twice(() => challenges.create(challenge));
      await twice(() => challenges.reserveAttempt(challenge, ATTEMPT_LIMITS));
      const completed = await twice(() => challenges.complete(completeRequest(challenge, 's1', 9)));
      const record = expectSession(completed, 'completed');
      const replayed = await twice(() => sessions.rotate(rotateRequest(1, record)));
      assert.deepEqual(await sessions.list(ADA), [expectSession(replayed, 'replayed')]);
      await twice(() => sessions.revoke(record));
      await twice(() => challenges.unlock(ADA));
      await twice(() => sessions.revokeAll(ADA));
      assert.deepEqual(await sessions.list(ADA), []);
    },

    'returns the existing session if create() is repeated': async ({ sessions, clock }) => {
      const record = await logIn(sessions, newSession('s1'));
      clock.advance(DAY_MS);
      const rotated = expectSession(await sessions.rotate(rotateRequest(1, record)), 'rotated');
      clock.advance(DAY_MS);
      const other = newSession('s1', { scopes: ['internal'], absoluteMs: 2 * DEFAULTS.absoluteMs });
      assert.deepEqual(await logIn(sessions, other), rotated);
      assert.deepEqual(await sessions.list(ADA), [rotated]);
    },

    'does not revive an ended session if create() is repeated': async ({
      storage,
      sessions,
      clock,
    }) => {
      const ends = {
        revoked: () => sessions.revoke(newSession('revoked')),
        reused: () => sessions.rotate(rotateRequest(1, newSession('reused'))),
        'revoked with all': () => sessions.revokeAll(ADA),
      };
      for (const [id, end] of Object.entries(ends)) {
        const session = newSession(id);
        await sessions.create(session, AMPLE_LIMITS);
        await sessions.rotate(rotateRequest(1, session));
        await sessions.rotate(rotateRequest(2, session));
        await end();
        clock.advance(1);
        await sessions.create(session, AMPLE_LIMITS);
        await assertSessionEnded(storage, session, 3);
      }
    },

    'leaves attempts, expiry and context of a challenge unchanged if create() is repeated': async ({
      challenges,
      clock,
    }) => {
      const challenge = newChallenge('c1');
      await challenges.create(challenge);
      await challenges.reserveAttempt(challenge, ATTEMPT_LIMITS);
      clock.advance(DEFAULTS.challengeTtlMs - 1);
      const authTimeMs = clock.nowMs();
      const context = { ...challenge.context, accountId: 8, version: 'v2', authTimeMs } as const;
      await challenges.create(newChallenge('c1', { context }));
      const attempt = expectReservation(await challenges.reserveAttempt(challenge, ATTEMPT_LIMITS));
      assert.deepEqual(attempt.context, challenge.context);
      assert.equal(attempt.attemptsRemaining, ATTEMPT_LIMITS.perChallenge - 2);
      clock.advance(1);
      const lateAttempt = await challenges.reserveAttempt(challenge, ATTEMPT_LIMITS);
      assert.equal(lateAttempt.outcome, 'gone');
    },

    'does not revive an ended challenge if create() is repeated': async ({
      challenges,
      sessions,
      clock,
    }) => {
      const usedChallenge = newChallenge('used');
      const endedChallenge = newChallenge('ended');
      await challenges.create(usedChallenge);
      await challenges.complete(completeRequest(usedChallenge, 's1', 9));
      await challenges.create(endedChallenge);
      await challenges.create(usedChallenge);
      const reserve = async (challenge: typeof usedChallenge) =>
        (await challenges.reserveAttempt(challenge, ATTEMPT_LIMITS)).outcome;
      assert.equal(await reserve(usedChallenge), 'gone');
      assert.equal(
        (await challenges.complete(completeRequest(usedChallenge, 's2', 10))).outcome,
        'gone',
      );
      await sessions.revokeAll(ADA);
      clock.advance(1);
      await challenges.create(endedChallenge);
      assert.equal(await reserve(endedChallenge), 'gone');
      assert.equal(
        (await challenges.complete(completeRequest(endedChallenge, 's3', 11))).outcome,
        'gone',
      );
    },

    'counts an attempt whose caller died': async ({ challenges }) => {
      const challenge = newChallenge('c1');
      await challenges.create(challenge);
      await challenges.reserveAttempt(challenge, ATTEMPT_LIMITS);
      const next = expectReservation(await challenges.reserveAttempt(challenge, ATTEMPT_LIMITS));
      assert.equal(next.attemptsRemaining, ATTEMPT_LIMITS.perChallenge - 2);
      for (let i = 3; i < ATTEMPT_LIMITS.perUser; i += 1) {
        await attemptAtNewChallenge(challenges, `c${i}`);
      }
      assert.notEqual(
        expectReservation(await attemptAtNewChallenge(challenges, 'last')).lockedUntilMs,
        null,
      );
    },

    'returns the session in its current state if complete() is repeated': async ({
      challenges,
      sessions,
      clock,
    }) => {
      const challenge = newChallenge('c1');
      const request = completeRequest(challenge, 's1', 9);
      await challenges.create(challenge);
      const first = expectSession(await challenges.complete(request), 'completed');
      assert.deepEqual(expectSession(await challenges.complete(request), 'completed'), first);
      const rotated = expectSession(await sessions.rotate(rotateRequest(1, first)), 'rotated');
      assert.deepEqual(expectSession(await challenges.complete(request), 'completed'), rotated);
      assert.equal(
        (await challenges.complete(completeRequest(challenge, 's2', 10))).outcome,
        'gone',
      );
      assert.deepEqual(await sessions.list(ADA), [rotated]);
      clock.advance(DEFAULTS.challengeTtlMs);
      const lateResult = await challenges.complete(request);
      assert.equal(lateResult.outcome, 'gone', 'repeated after the challenge expired');
    },

    'returns the same session if complete() is repeated after another login of the user': async ({
      challenges,
      sessions,
    }) => {
      const requests = ['c1', 'c2'].map((id, i) =>
        completeRequest(newChallenge(id), `session of ${id}`, 9 + i),
      );
      for (const request of requests) {
        await challenges.create(newChallenge(request.challengeId));
        expectSession(await challenges.complete(request), 'completed');
      }
      for (const request of requests) {
        const session = expectSession(await challenges.complete(request), 'completed');
        assert.equal(session.sessionId, request.session.sessionId);
      }
      assert.equal((await sessions.list(ADA)).length, 2);
    },

    'creates one session under 20 parallel calls of complete()': async ({
      challenges,
      sessions,
      connections,
    }) => {
      const challenge = newChallenge('c1');
      await challenges.create(challenge);
      const results = await inParallel(20, await connections(8), (storage) =>
        storage.challenges.complete(completeRequest(challenge, 's1', 9)),
      );
      const [record] = await sessions.list(ADA);
      for (const result of results) assert.deepEqual(expectSession(result, 'completed'), record);
      assert.equal((await sessions.list(ADA)).length, 1);
    },

    'does not revive a session that ended before complete() was repeated': async ({
      storage,
      challenges,
      sessions,
    }) => {
      const ends = {
        revoked: () => sessions.revoke(newSession('session that was revoked')),
        'revoked with all': () => sessions.revokeAll(ADA),
      };
      for (const [i, [id, end]] of Object.entries(ends).entries()) {
        const request = completeRequest(newChallenge(id), `session that was ${id}`, 9 + i);
        await challenges.create(newChallenge(id));
        expectSession(await challenges.complete(request), 'completed');
        await end();
        const repeated = await challenges.complete(request);
        assert.equal(repeated.outcome, 'gone', `repeated after the session was ${id}`);
        await assertSessionEnded(storage, request.session, 1);
      }
    },
  },
};
