import assert from 'node:assert/strict';
import { inParallel } from '../../actions/in-parallel.ts';
import { expectReservation, tally } from '../../actions/outcomes.ts';
import { PROCESSES } from '../../fixtures/fixture.ts';
import { loginSuite } from '../../fixtures/login-fixture.ts';
import { ADA, newChallenge } from '../../samples/login-samples.ts';

const ROUNDS = 20;

export const challengeRaces = loginSuite('challenges: races between processes', {
  'reserves 5 of 100 parallel attempts at one challenge': async (t) => {
    const challenge = await t.challenge('c1');
    const results = await t.inParallel(100, (connection) => connection.attempt(challenge));
    assert.deepEqual(tally(results), { reserved: 5, gone: 95 });
    const remaining = results
      .filter(({ outcome }) => outcome === 'reserved')
      .map((result) => expectReservation(result).attemptsRemaining);
    assert.deepEqual(remaining.sort(), [0, 1, 2, 3, 4]);
  },

  'reserves 10 of 40 parallel attempts of one user, and locks out the others': async (t) => {
    for (let i = 0; i < 40; i += 1) await t.challenge(`c${i}`);
    const results = await t.inParallel(40, (connection, i) =>
      connection.attempt(newChallenge(`c${i}`)),
    );
    assert.deepEqual(tally(results), { reserved: 10, locked: 30 });
  },

  'completes one of 20 challenges in parallel with the same time step': async (t) => {
    for (let i = 0; i < 20; i += 1) await t.challenge(`c${i}`);
    const results = await t.inParallel(20, (connection, i) =>
      connection.complete(newChallenge(`c${i}`), `s${i}`, 9),
    );
    assert.deepEqual(tally(results), { completed: 1, step_used: 19 });
    assert.equal((await t.listSessions()).length, 1);
  },

  'completes a challenge once under 20 parallel calls': async (t) => {
    const challenge = await t.challenge('c1');
    const results = await t.inParallel(20, (connection, i) =>
      connection.complete(challenge, `s${i}`, 9 + i),
    );
    assert.deepEqual(tally(results), { completed: 1, gone: 19 });
    assert.equal((await t.listSessions()).length, 1);
  },

  'ends every session that a challenge creates during revokeAll()': async (t) => {
    await t.rounds(ROUNDS, async (round, processes) => {
      const ids = Array.from({ length: PROCESSES }, (_, i) => `c${round}.${i}`);
      for (const id of ids) await t.challenge(id);
      await Promise.all([
        inParallel(ids.length, processes, (connection, i) =>
          connection.complete(newChallenge(`c${round}.${i}`), `s${round}.${i}`, null),
        ),
        t.sessions.revokeAll(ADA),
      ]);
      for (const connection of processes) assert.deepEqual(await connection.listSessions(), []);
      t.clock.advance(1);
    });
  },
});
