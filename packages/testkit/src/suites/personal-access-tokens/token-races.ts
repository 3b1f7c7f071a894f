import assert from 'node:assert/strict';
import type { NewPersonalAccessToken, PersonalAccessTokenStore } from '@latchhook/core/storage';
import { inParallel } from '../../actions/in-parallel.ts';
import { tally } from '../../actions/outcomes.ts';
import { PROCESSES } from '../../fixtures/fixture.ts';
import { type TokenFixture, tokenSuite } from '../../fixtures/personal-access-token-fixture.ts';
import { ADA } from '../../samples/login-samples.ts';
import { newToken } from '../../samples/personal-access-token-samples.ts';

/** Each use writes to the token. Such a write must not revive a revoked token. */
const EVERY_USE = { touchEveryMs: 0 } as const;
const ROUNDS = 20;

export const tokenRaces = tokenSuite('personal access tokens: races between processes', {
  'creates no more than maxPerUser tokens under 50 parallel calls': async (t) => {
    const results = await t.inParallel(50, (connection, i) =>
      connection.tokens.create(newToken(`t${i}`), { maxPerUser: 5 }),
    );
    assert.deepEqual(tally(results), { created: 5, limit_reached: 45 });
    assert.equal((await t.listedIds()).length, 5);
  },

  'creates one token under 50 parallel calls with the same token': async (t) => {
    const records = await t.inParallel(50, (connection) => connection.create(newToken('t1')));
    const listed = await t.list();
    assert.equal(listed.length, 1);
    for (const record of records) assert.deepEqual(record, listed[0]);
  },

  'gives tokens created in parallel distinct, ordered sequences': async (t) => {
    await t.inParallel(50, (connection, i) => connection.create(newToken(`t${i}`)));
    const sequences = (await t.list()).map(({ sequence }) => sequence);
    assert.equal(new Set(sequences).size, 50);
    assert.deepEqual(
      sequences,
      sequences.toSorted((a, b) => a - b),
    );
  },

  'accepts no use once revoke() has returned': (t) =>
    raceUses(t, (tokens, token) => tokens.revoke(token)),

  'accepts no use once revokeByHash() has returned': (t) =>
    raceUses(t, (tokens, { tokenHash }) => tokens.revokeByHash(tokenHash)),

  'accepts no use once revokeAll() has returned': (t) =>
    raceUses(t, (tokens, { userId }) => tokens.revokeAll(userId)),

  'revokes a token once under 60 parallel calls of all three revocations': async (t) => {
    const token = newToken('t1');
    await t.create(token);
    const results = await t.inParallel(60, async (connection, i) => {
      // A third of the calls each. All of them return whether they revoked the token.
      if (i % 3 === 0) return connection.tokens.revoke(token);
      if (i % 3 === 1) return (await connection.tokens.revokeByHash(token.tokenHash)) !== null;
      return (await connection.tokens.revokeAll(token.userId)) === 1;
    });
    assert.equal(results.filter((isRevoked) => isRevoked).length, 1);
  },

  'counts every token that revokeAll() revokes while tokens are created in parallel': async (t) => {
    await t.rounds(ROUNDS, async (round, processes) => {
      const [, revokedCount] = await Promise.all([
        inParallel(PROCESSES, processes, (connection, i) =>
          connection.create(newToken(`t${round}.${i}`)),
        ),
        t.tokens.revokeAll(ADA),
      ]);
      assert.equal(revokedCount + (await t.tokens.revokeAll(ADA)), PROCESSES);
    });
  },
});

async function raceUses(
  t: TokenFixture,
  revoke: (tokens: PersonalAccessTokenStore, token: NewPersonalAccessToken) => Promise<unknown>,
): Promise<void> {
  await t.rounds(ROUNDS, async (round, processes) => {
    const token = newToken(`t${round}`);
    await t.create(token);
    await Promise.all([
      inParallel(2 * PROCESSES, processes, (connection) =>
        connection.tokens.use(token.tokenHash, EVERY_USE),
      ),
      revoke(t.tokens, token),
    ]);
    for (const connection of processes) await connection.assertEnded(token);
  });
}
