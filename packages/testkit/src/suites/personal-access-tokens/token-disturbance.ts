import assert from 'node:assert/strict';
import { inParallel } from '../../actions/in-parallel.ts';
import { tally } from '../../actions/outcomes.ts';
import type { TokenFixture } from '../../fixtures/personal-access-token-fixture.ts';
import { ADA } from '../../samples/login-samples.ts';
import { newToken } from '../../samples/personal-access-token-samples.ts';
import type { Suite } from '../../suite.ts';

/** A disturbance, such as a lost script cache or connection, changes no result. */
export const tokenDisturbance: Suite<TokenFixture> = {
  name: 'personal access tokens: disturbances that lose no data',
  needs: 'disturb',
  cases: {
    'returns the same outcomes for tokens with a disturbance before each call': async (t) => {
      const [first, second] = [newToken('t1'), newToken('t2')];
      await t.disturb();
      for (const token of [first, second, newToken('t3')]) await t.create(token);
      await t.disturb();
      const usedToken = await t.use(first.tokenHash);
      await t.disturb();
      assert.deepEqual((await t.list())[0], usedToken);
      await t.disturb();
      assert.equal(await t.tokens.revoke(first), true);
      await t.disturb();
      assert.equal((await t.tokens.revokeByHash(second.tokenHash))?.tokenId, 't2');
      await t.disturb();
      assert.equal(await t.tokens.revokeAll(ADA), 1);
    },

    'keeps maxPerUser under 100 parallel creations during a disturbance': async (t) => {
      const processes = await t.connections(8);
      const createMany = (begin: number) =>
        inParallel(50, processes, (connection, i) =>
          connection.tokens.create(newToken(`t${begin + i}`), { maxPerUser: 5 }),
        );
      const [before, , after] = await Promise.all([createMany(0), t.disturb(), createMany(50)]);
      assert.deepEqual(tally([...before, ...after]), { created: 5, limit_reached: 95 });
    },
  },
};
