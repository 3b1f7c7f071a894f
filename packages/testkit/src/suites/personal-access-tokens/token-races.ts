import assert from 'node:assert/strict';
import type { NewPersonalAccessToken, PersonalAccessTokenStore } from '@latchhook/core/storage';
import { inParallel } from '../../actions/in-parallel.ts';
import { tally } from '../../actions/outcomes.ts';
import type { PersonalAccessTokenFixture } from '../../fixtures/personal-access-token-fixture.ts';
import { ADA } from '../../samples/login-samples.ts';
import {
  assertEnded,
  createToken,
  EVERY_MINUTE,
  listedIds,
  newToken,
  WHOLE_LIST,
} from '../../samples/personal-access-token-samples.ts';
import type { Suite } from '../../suite.ts';

const PROCESSES = 8;
/** Several, since a defect may show only in some rounds of a race. */
const ROUNDS = 20;

export const tokenRaces: Suite<PersonalAccessTokenFixture> = {
  name: 'personal access tokens: races between processes',
  cases: {
    'creates no more than maxPerUser tokens under 50 parallel calls': async ({
      tokens,
      connections,
    }) => {
      const results = await inParallel(50, await connections(PROCESSES), (process, i) =>
        process.create(newToken(`t${i}`), { maxPerUser: 5 }),
      );
      assert.deepEqual(tally(results), { created: 5, limit_reached: 45 });
      assert.equal((await listedIds(tokens)).length, 5);
    },

    'creates one token under 50 parallel calls with the same token': async ({
      tokens,
      connections,
    }) => {
      const records = await inParallel(50, await connections(PROCESSES), (process) =>
        createToken(process, newToken('t1')),
      );
      const listed = await tokens.list(ADA, WHOLE_LIST);
      assert.equal(listed.length, 1);
      for (const record of records) assert.deepEqual(record, listed[0]);
    },

    'gives tokens created in parallel distinct, ordered sequences': async ({
      tokens,
      connections,
    }) => {
      await inParallel(50, await connections(PROCESSES), (process, i) =>
        createToken(process, newToken(`t${i}`)),
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
        const results = await inParallel(60, await connections(PROCESSES), async (process, i) => {
          if (i % 3 === 0) return process.revoke(token);
          if (i % 3 === 1) return (await process.revokeByHash(token.tokenHash)) !== null;
          return (await process.revokeAll(token.userId)) === 1;
        });
        assert.equal(results.filter((isRevoked) => isRevoked).length, 1);
      },

    'counts every token that revokeAll() revokes while tokens are created in parallel': async ({
      tokens,
      connections,
    }) => {
      const processes = await connections(PROCESSES);
      for (let round = 0; round < ROUNDS; round += 1) {
        const [, revokedCount] = await Promise.all([
          inParallel(PROCESSES, processes, (process, i) =>
            createToken(process, newToken(`t${round}.${i}`)),
          ),
          tokens.revokeAll(ADA),
        ]);
        assert.equal(revokedCount + (await tokens.revokeAll(ADA)), PROCESSES);
      }
    },
  },
};

async function raceUses(
  { tokens, connections, clock }: PersonalAccessTokenFixture,
  revoke: (tokens: PersonalAccessTokenStore, token: NewPersonalAccessToken) => Promise<unknown>,
): Promise<void> {
  const processes = await connections(PROCESSES);
  for (let round = 0; round < ROUNDS; round += 1) {
    const token = newToken(`t${round}`);
    await createToken(tokens, token);
    // So late that a use is recorded, and the write must not revive the token.
    clock.advance(EVERY_MINUTE.touchEveryMs);
    await Promise.all([
      inParallel(2 * PROCESSES, processes, (process) =>
        process.use(token.tokenHash, { touchEveryMs: 0 }),
      ),
      revoke(tokens, token),
    ]);
    for (const process of processes) await assertEnded(process, token);
  }
}
