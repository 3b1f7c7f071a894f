import assert from 'node:assert/strict';
import { expectReservation, expectSession } from '../../actions/outcomes.ts';
import { loginSuite } from '../../fixtures/login-fixture.ts';
import {
  ADA,
  AMPLE_LIMITS,
  ATTEMPT_LIMITS,
  completeRequest,
  DAY_MS,
  DEFAULTS,
  newChallenge,
  newSession,
} from '../../samples/login-samples.ts';

/**
 * A client that lost the response, or a driver after a dropped connection, repeats a command; or a process dies between
 * two commands. A command that succeeded stays in effect, and its repetition does no harm.
 */
export const loginRepeats = loginSuite('sessions and challenges: repeated commands', {
  'creates one session if every command of a login is repeated': async (t) => {
    const twice = async <Result>(command: () => Promise<Result>): Promise<Result> => {
      await command();
      return command();
    };
    const challenge = newChallenge('c1');
    await twice(() => t.challenges.create(challenge));
    await twice(() => t.attempt(challenge));
    const completed = await twice(() => t.complete(challenge, 's1', 9));
    const record = expectSession(completed, 'completed');
    const replayed = await twice(() => t.rotate(1, record));
    assert.deepEqual(await t.listSessions(), [expectSession(replayed, 'replayed')]);
    await twice(() => t.sessions.revoke(record));
    await twice(() => t.challenges.unlock(ADA));
    await twice(() => t.sessions.revokeAll(ADA));
    assert.deepEqual(await t.listSessions(), []);
  },

  'returns the existing session if create() is repeated': async (t) => {
    const record = await t.logIn(newSession('s1'));
    t.clock.advance(DAY_MS);
    const rotated = expectSession(await t.rotate(1, record), 'rotated');
    t.clock.advance(DAY_MS);
    const other = newSession('s1', { scopes: ['internal'], absoluteMs: 2 * DEFAULTS.absoluteMs });
    assert.deepEqual(await t.logIn(other), rotated);
    assert.deepEqual(await t.listSessions(), [rotated]);
  },

  'does not revive an ended session if create() is repeated': async (t) => {
    const ends = {
      revoked: () => t.sessions.revoke(newSession('revoked')),
      reused: () => t.rotate(1, newSession('reused')),
      'revoked with all': () => t.sessions.revokeAll(ADA),
    };
    for (const [id, end] of Object.entries(ends)) {
      const session = newSession(id);
      await t.sessions.create(session, AMPLE_LIMITS);
      await t.rotate(1, session);
      await t.rotate(2, session);
      await end();
      t.clock.advance(1);
      await t.sessions.create(session, AMPLE_LIMITS);
      await t.assertSessionEnded(session, 3);
    }
  },

  'changes nothing of a challenge if create() is repeated': async (t) => {
    const challenge = await t.challenge('c1');
    await t.attempt(challenge);
    t.clock.advance(DEFAULTS.challengeTtlMs - 1);
    const authTimeMs = t.clock.nowMs();
    const context = { ...challenge.context, accountId: 8, version: 'v2', authTimeMs } as const;
    await t.challenge('c1', { context });
    const attempt = expectReservation(await t.attempt(challenge));
    assert.deepEqual(attempt.context, challenge.context);
    assert.equal(attempt.attemptsRemaining, ATTEMPT_LIMITS.perChallenge - 2);
    t.clock.advance(1);
    assert.equal((await t.attempt(challenge)).outcome, 'gone');
  },

  'does not revive an ended challenge if create() is repeated': async (t) => {
    const usedChallenge = await t.challenge('used');
    await t.complete(usedChallenge, 's1', 9);
    const endedChallenge = await t.challenge('ended');
    await t.challenges.create(usedChallenge);
    assert.equal((await t.attempt(usedChallenge)).outcome, 'gone');
    assert.equal((await t.complete(usedChallenge, 's2', 10)).outcome, 'gone');
    await t.sessions.revokeAll(ADA);
    t.clock.advance(1);
    await t.challenges.create(endedChallenge);
    assert.equal((await t.attempt(endedChallenge)).outcome, 'gone');
    assert.equal((await t.complete(endedChallenge, 's3', 11)).outcome, 'gone');
  },

  'counts an attempt whose caller died': async (t) => {
    const challenge = await t.challenge('c1');
    await t.attempt(challenge);
    const next = expectReservation(await t.attempt(challenge));
    assert.equal(next.attemptsRemaining, ATTEMPT_LIMITS.perChallenge - 2);
    for (let i = 3; i < ATTEMPT_LIMITS.perUser; i += 1) await t.attemptAtNewChallenge(`c${i}`);
    assert.notEqual(expectReservation(await t.attemptAtNewChallenge('last')).lockedUntilMs, null);
  },

  'returns the session in its current state if complete() is repeated': async (t) => {
    const challenge = newChallenge('c1');
    const request = completeRequest(challenge, 's1', 9);
    await t.challenges.create(challenge);
    const first = expectSession(await t.challenges.complete(request), 'completed');
    assert.deepEqual(expectSession(await t.challenges.complete(request), 'completed'), first);
    const rotated = expectSession(await t.rotate(1, first), 'rotated');
    assert.deepEqual(expectSession(await t.challenges.complete(request), 'completed'), rotated);
    assert.equal((await t.complete(challenge, 's2', 10)).outcome, 'gone');
    assert.deepEqual(await t.listSessions(), [rotated]);
    t.clock.advance(DEFAULTS.challengeTtlMs);
    const lateResult = await t.challenges.complete(request);
    assert.equal(lateResult.outcome, 'gone', 'repeated after the challenge expired');
  },

  'returns the same session if complete() is repeated after another login': async (t) => {
    const requests = ['c1', 'c2'].map((id, i) =>
      completeRequest(newChallenge(id), `session of ${id}`, 9 + i),
    );
    for (const request of requests) {
      await t.challenge(request.challengeId);
      expectSession(await t.challenges.complete(request), 'completed');
    }
    for (const request of requests) {
      const session = expectSession(await t.challenges.complete(request), 'completed');
      assert.equal(session.sessionId, request.session.sessionId);
    }
    assert.equal((await t.listSessions()).length, 2);
  },

  'creates one session under 20 parallel calls of complete()': async (t) => {
    const challenge = await t.challenge('c1');
    const results = await t.inParallel(20, (connection) => connection.complete(challenge, 's1', 9));
    const [record] = await t.listSessions();
    for (const result of results) assert.deepEqual(expectSession(result, 'completed'), record);
    assert.equal((await t.listSessions()).length, 1);
  },

  'does not revive a session that ended before complete() was repeated': async (t) => {
    const ends = {
      revoked: () => t.sessions.revoke(newSession('session that was revoked')),
      'revoked with all': () => t.sessions.revokeAll(ADA),
    };
    for (const [i, [id, end]] of Object.entries(ends).entries()) {
      const request = completeRequest(newChallenge(id), `session that was ${id}`, 9 + i);
      await t.challenge(id);
      expectSession(await t.challenges.complete(request), 'completed');
      await end();
      const repeated = await t.challenges.complete(request);
      assert.equal(repeated.outcome, 'gone', `repeated after the session was ${id}`);
      await t.assertSessionEnded(request.session, 1);
    }
  },
});
