import assert from 'node:assert/strict';
import type { NewPersonalAccessToken, PersonalAccessTokenStore } from '@latchhook/core/storage';
import { inParallel } from '../../actions/in-parallel.ts';
import { tally } from '../../actions/outcomes.ts';
import type { PersonalAccessTokenFixture } from '../../fixtures/personal-access-token-fixture.ts';
import { ADA } from '../../samples/login-samples.ts';
import {
  assertEnded,
  createToken,
  listedIds,
  newToken,
  WHOLE_LIST,
} from '../../samples/personal-access-token-samples.ts';
import type { Suite } from '../../suite.ts';

const PROCESSES = 8;
/** Each use writes to the token. Such a write must not revive a revoked token. */
const EVERY_USE = { touchEveryMs: 0 } as const;
/** Several, because a defect may show only in some rounds of a race. */
const ROUNDS = 20;

export const tokenRaces: Suite<PersonalAccessTokenFixture> = {
  name: 'personal access tokens: races between processes',
  cases: {
    'creates no more than maxPerUser tokens under 50 parallel calls': async ({
      tokens,
      connections,
    }) => {
      const results = await inParallel(50, await connections(PROCESSES), (connection, i) =>
        connection.create(newToken(`t${i}`), { maxPerUser: 5 }),
      );
      assert.deepEqual(tally(results), { created: 5, limit_reached: 45 });
      assert.equal((await listedIds(tokens)).length, 5);
    },

    'creates one token under 50 parallel calls with the same token': async ({
      tokens,
      connections,
    }) => {
      const records = await inParallel(50, await connections(PROCESSES), (connection) =>
        createToken(connection, newToken('t1')),
      );
      const listed = await tokens.list(ADA, WHOLE_LIST);
      assert.equal(listed.length, 1);
      for (const record of records) assert.deepEqual(record, listed[0]);
    },

    'gives tokens created in parallel distinct, ordered sequences': async ({
      tokens,
      connections,
    }) => {
      await inParallel(50, await connections(PROCESSES), (connection, i) =>
        createToken(connection, newToken(`t${i}`)),
      );
      const sequences = (await tokens.list(ADA, WHOLE_LIST)).map(({ sequence }) => sequence);
      assert.equal(new Set(sequences).size, 50);
      assert.deepEqual(
        sequences,
        sequences.toSorted((a, b) => a - b),
      );
    },

    'accepts no use once revoke() has returned': (fixture) =>
      raceUses(fixture, (tokens, token) => tokens.revoke(token)),

    'accepts no use once revokeByHash() has returned': (fixture) =>
      raceUses(fixture, (tokens, { tokenHash }) => tokens.revokeByHash(tokenHash)),

    'accepts no use once revokeAll() has returned': (fixture) =>
      raceUses(fixture, (tokens, { userId }) => tokens.revokeAll(userId)),

    'revokes a token once under 60 parallel calls of revoke(), revokeByHash() and revokeAll()':
      async ({ tokens, connections }) => {
        const token = newToken('t1');
        await createToken(tokens, token);
        const results = await inParallel(
          60,
          await connections(PROCESSES),
          async (connection, i) => {
            // A third of the calls each. All of them return whether they revoked the token.
            if (i % 3 === 0) return connection.revoke(token);
            if (i % 3 === 1) return (await connection.revokeByHash(token.tokenHash)) !== null;
            return (await connection.revokeAll(token.userId)) === 1;
          },
        );
        assert.equal(results.filter((isRevoked) => isRevoked).length, 1);
      },

    'counts every token that revokeAll() revokes while tokens are created in parallel': async ({
      tokens,
      connections,
    }) => {
      const processes = await connections(PROCESSES);
      for (let round = 0; round < ROUNDS; round += 1) {
        const [, revokedCount] = await Promise.all([
          inParallel(PROCESSES, processes, (connection, i) =>
            createToken(connection, newToken(`t${round}.${i}`)),
          ),
          tokens.revokeAll(ADA),
        ]);
        assert.equal(revokedCount + (await tokens.revokeAll(ADA)), PROCESSES);
      }
    },
  },
};

async function raceUses(
  { tokens, connections }: PersonalAccessTokenFixture,
  revoke: (tokens: PersonalAccessTokenStore, token: NewPersonalAccessToken) => Promise<unknown>,
): Promise<void> {
  const processes = await connections(PROCESSES);
  for (let round = 0; round < ROUNDS; round += 1) {
    const token = newToken(`t${round}`);
    await createToken(tokens, token);
    await Promise.all([
      inParallel(2 * PROCESSES, processes, (connection) =>
        connection.use(token.tokenHash, EVERY_USE),
      ),
      revoke(tokens, token),
    ]);
    for (const connection of processes) await assertEnded(connection, token);
  }
}
