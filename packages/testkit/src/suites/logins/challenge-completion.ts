import assert from 'node:assert/strict';
import { expectReservation, expectSession, tally } from '../../actions/outcomes.ts';
import { logInEach, loginSuite } from '../../fixtures/login-fixture.ts';
import {
  ATTEMPT_LIMITS,
  DEFAULTS,
  GRACE,
  newChallenge,
  newSession,
} from '../../samples/login-samples.ts';

/** A time step of TOTP: 30 seconds each since 1970. */
const STEP = 56_666_666;

export const challengeCompletion = loginSuite('challenges: completion', {
  'creates the session with timestamps of the storage clock': async (t) => {
    const challenge = await t.challenge('c1');
    await t.attempt(challenge);
    t.clock.advance(1234);
    const completed = expectSession(await t.complete(challenge, 's1', STEP), 'completed');
    const { idleMs, absoluteMs, loginAgeMs, ...grant } = newSession('s1');
    assert.deepEqual(completed, {
      ...grant,
      generation: 1,
      createdAtMs: t.clock.nowMs(),
      rotatedAtMs: t.clock.nowMs(),
      expiresAtMs: t.clock.nowMs() + absoluteMs,
    });
    assert.deepEqual(await t.listSessions(), [completed]);
    expectSession(await t.rotate(1, completed), 'rotated');
  },

  'returns gone for a completed challenge': async (t) => {
    const challenge = await t.challenge('c1');
    expectSession(await t.complete(challenge, 's1', STEP), 'completed');
    assert.equal((await t.attempt(challenge)).outcome, 'gone');
    assert.equal((await t.complete(challenge, 's2', STEP + 1)).outcome, 'gone');
    assert.equal((await t.listSessions()).length, 1);
  },

  'completes a challenge even if a later attempt was rejected': async (t) => {
    const challenge = await t.challenge('c1');
    const results = await t.attemptRepeatedly(challenge, 6);
    assert.deepEqual(tally(results), { reserved: 5, gone: 1 });
    expectSession(await t.complete(challenge, 's1', STEP), 'completed');
  },

  'completes a challenge only before ttlMs has passed': async (t) => {
    const timelyChallenge = await t.challenge('in-time');
    const lateChallenge = await t.challenge('late');
    await t.elapseCheckingJustBefore(DEFAULTS.challengeTtlMs, async () =>
      expectSession(await t.complete(timelyChallenge, 's1', STEP), 'completed'),
    );
    assert.equal((await t.complete(lateChallenge, 's2', STEP + 1)).outcome, 'gone');
    assert.equal((await t.listSessions()).length, 1);
  },

  'finds a challenge only by user id and challenge id': async (t) => {
    await t.challenge('c1');
    const foreignChallenge = newChallenge('c1', { userId: GRACE });
    assert.equal((await t.complete(foreignChallenge, 's1', STEP)).outcome, 'gone');
    const unknownChallenge = newChallenge('never');
    assert.equal((await t.complete(unknownChallenge, 's2', STEP)).outcome, 'gone');
    assert.deepEqual(await t.listSessions(GRACE), []);
    assert.deepEqual(await t.listSessions(), []);
  },

  'returns step_used for the last accepted time step and for earlier ones': async (t) => {
    for (const id of ['c1', 'c2', 'c3']) await t.challenge(id);
    const complete = (id: string, step: number) =>
      t.complete(newChallenge(id), `session of ${id}`, step);
    expectSession(await complete('c1', STEP), 'completed');
    assert.equal((await complete('c2', STEP)).outcome, 'step_used');
    assert.equal((await complete('c2', STEP - 1)).outcome, 'step_used');
    assert.equal((await t.listSessions()).length, 1);
    expectSession(await complete('c2', STEP + 1), 'completed');
    assert.equal((await complete('c3', STEP)).outcome, 'step_used');
  },

  'leaves the challenge and the failures of its user unchanged on step_used': async (t) => {
    await t.complete(await t.challenge('c0'), 's0', STEP);
    const challenge = await t.challenge('c1');
    await t.attempt(challenge);
    await t.complete(challenge, 's1', STEP);
    const attempt = await t.attempt(challenge);
    assert.equal(expectReservation(attempt).attemptsRemaining, ATTEMPT_LIMITS.perChallenge - 2);
    assert.equal((await t.complete(challenge, 's1', STEP)).outcome, 'step_used');
    // The two failed attempts still count: the attempt that reaches `perUser` locks the factor, and none before.
    for (let i = 3; i < ATTEMPT_LIMITS.perUser; i += 1) {
      const next = expectReservation(await t.attemptAtNewChallenge(`c${i}`));
      assert.equal(next.lockedUntilMs, null);
    }
    assert.notEqual(expectReservation(await t.attemptAtNewChallenge('last')).lockedUntilMs, null);
  },

  'consumes no time step if a recovery code completes the challenge': async (t) => {
    for (const id of ['c1', 'c2', 'c3']) await t.challenge(id);
    const complete = (id: string, step: number | null) =>
      t.complete(newChallenge(id), `session of ${id}`, step);
    expectSession(await complete('c1', STEP), 'completed');
    expectSession(await complete('c2', null), 'completed');
    assert.equal((await complete('c3', STEP)).outcome, 'step_used');
    expectSession(await complete('c3', STEP + 1), 'completed');
  },

  'accepts the same time step from two users': async (t) => {
    await t.complete(await t.challenge('c1'), 's1', STEP);
    const grace = await t.challenge('c1', { userId: GRACE });
    expectSession(await t.complete(grace, 's2', STEP), 'completed');
  },

  'ends the oldest session beyond maxSessionsPerUser': async (t) => {
    await logInEach(t, ['s1', 's2']);
    const challenge = await t.challenge('c1');
    await t.complete(challenge, 's3', STEP, { maxSessionsPerUser: 2 });
    assert.deepEqual(await t.listedIds(), ['s3', 's2']);
  },
});
