import assert from 'node:assert/strict';
import { inParallel } from '../../actions/in-parallel.ts';
import { expectSession, tally } from '../../actions/outcomes.ts';
import { PROCESSES } from '../../fixtures/fixture.ts';
import { loginSuite } from '../../fixtures/login-fixture.ts';
import {
  ADA,
  AMPLE_LIMITS,
  DEFAULTS,
  newSession,
  rotateRequest,
} from '../../samples/login-samples.ts';

const ROUNDS = 20;

export const sessionRaces = loginSuite('sessions: races between processes', {
  'returns the same successor to 200 parallel rotations': async (t) => {
    const record = await t.logIn(newSession('s1'));
    const results = await t.inParallel(200, (connection) => connection.rotate(1, record));
    assert.deepEqual(tally(results), { rotated: 1, replayed: 199 });
    for (const result of results) assert.equal('session' in result && result.session.generation, 2);
    assert.equal((await t.listSessions())[0]?.generation, 2);
  },

  'replays at most replayLimit of 100 parallel rotations': async (t) => {
    const record = await t.logIn(newSession('s1'));
    const request = rotateRequest(1, record, { replayLimit: 20 });
    const results = await t.inParallel(100, (connection) => connection.sessions.rotate(request));
    assert.deepEqual(tally(results), { rotated: 1, replayed: 20, busy: 79 });
  },

  'returns reused to one of 50 parallel presentations of an old token': async (t) => {
    const record = await t.logIn(newSession('s1'));
    await t.rotate(1, record);
    t.clock.advance(DEFAULTS.graceMs + 1);
    const results = await t.inParallel(50, (connection) => connection.rotate(1, record));
    assert.deepEqual(tally(results), { reused: 1, revoked: 49 });
  },

  'ends a session on revoke() during 16 parallel rotations': async (t) => {
    await t.rounds(ROUNDS, async (round, processes) => {
      const record = await t.logIn(newSession(`s${round}`));
      const rotations = inParallel(16, processes, (connection) => connection.rotate(1, record));
      const revocation = t.sessions.revoke(record);
      const [results, revoked] = await Promise.all([rotations, revocation]);
      assert.equal(revoked, true);
      const { rotated = 0, replayed = 0, revoked: rejected = 0 } = tally(results);
      assert.equal(rotated + replayed + rejected, results.length);
      for (const connection of processes) await connection.assertSessionEnded(record, 2);
    });
  },

  'ends a session on revokeAll() during 16 parallel rotations': async (t) => {
    await t.rounds(ROUNDS, async (round, processes) => {
      const record = await t.logIn(newSession(`s${round}`));
      await Promise.all([
        inParallel(16, processes, (connection) => connection.rotate(1, record)),
        t.sessions.revokeAll(ADA),
      ]);
      for (const connection of processes) await connection.assertSessionEnded(record, 2);
      t.clock.advance(1);
    });
  },

  'ends or rejects every login that runs in parallel to revokeAll()': async (t) => {
    await t.rounds(ROUNDS, async (round, processes) => {
      const [results] = await Promise.all([
        inParallel(PROCESSES, processes, (connection, i) =>
          connection.sessions.create(newSession(`s${round}.${i}`), AMPLE_LIMITS),
        ),
        t.sessions.revokeAll(ADA),
      ]);
      const { created = 0, stale_login = 0 } = tally(results);
      assert.equal(created + stale_login, results.length);
      assert.deepEqual(await t.listSessions(), []);
      t.clock.advance(1);
    });
  },

  'keeps only the current session when logins run in parallel to revokeOthers()': async (t) => {
    const current = await t.logIn(newSession('current'));
    t.clock.advance(1);
    await t.rounds(ROUNDS, async (round, processes) => {
      const [, results, isLiveResults] = await Promise.all([
        t.sessions.revokeOthers(current),
        inParallel(PROCESSES, processes, (connection, i) =>
          connection.sessions.create(newSession(`s${round}.${i}`), AMPLE_LIMITS),
        ),
        inParallel(2 * PROCESSES, processes, (connection) => connection.sessions.isLive(current)),
      ]);
      const { created = 0, stale_login = 0 } = tally(results);
      assert.equal(created + stale_login, results.length);
      assert.ok(isLiveResults.every(Boolean));
      assert.deepEqual(await t.listSessions(), [current]);
      t.clock.advance(1);
    });
  },

  'returns true to one of 50 parallel calls of revoke()': async (t) => {
    const record = await t.logIn(newSession('s1'));
    const results = await t.inParallel(50, (connection) => connection.sessions.revoke(record));
    assert.equal(results.filter((isRevoked) => isRevoked).length, 1);
  },

  'creates one session under 50 parallel calls with the same id': async (t) => {
    const records = await t.inParallel(50, (connection) => connection.logIn(newSession('s1')));
    const listed = await t.listSessions();
    assert.equal(listed.length, 1);
    for (const record of records) assert.deepEqual(record, listed[0]);
    expectSession(await t.rotate(1, newSession('s1')), 'rotated');
  },

  'keeps maxPerUser under 50 parallel creations': async (t) => {
    await t.inParallel(50, (connection, i) =>
      connection.sessions.create(newSession(`s${i}`), { maxPerUser: 5 }),
    );
    assert.equal((await t.listSessions()).length, 5);
  },
});
