import assert from 'node:assert/strict';
import { inParallel } from '../../actions/in-parallel.ts';
import { tally } from '../../actions/outcomes.ts';
import type { PersonalAccessTokenFixture } from '../../fixtures/personal-access-token-fixture.ts';
import { ADA } from '../../samples/login-samples.ts';
import {
  createToken,
  EVERY_MINUTE,
  newToken,
  WHOLE_LIST,
} from '../../samples/personal-access-token-samples.ts';
import type { Suite } from '../../suite.ts';

/** A disturbance, such as a lost script cache or connection, changes no result. */
export const tokenDisturbance: Suite<PersonalAccessTokenFixture> = {
  name: 'personal access tokens: disturbances that lose no data',
  needs: 'disturb',
  cases: {
    'returns the same outcomes for tokens with a disturbance before each call': async ({
      tokens,
      disturb,
    }) => {
      const [first, second] = [newToken('t1'), newToken('t2')];
      await disturb();
      for (const token of [first, second, newToken('t3')]) await createToken(tokens, token);
      await disturb();
      const usedToken = await tokens.use(first.tokenHash, EVERY_MINUTE);
      await disturb();
      assert.deepEqual((await tokens.list(ADA, WHOLE_LIST))[0], usedToken);
      await disturb();
      assert.equal(await tokens.revoke(first), true);
      await disturb();
      assert.equal((await tokens.revokeByHash(second.tokenHash))?.tokenId, 't2');
      await disturb();
      assert.equal(await tokens.revokeAll(ADA), 1);
    },

    'keeps maxPerUser under 100 parallel creations during a disturbance': async ({
      connections,
      disturb,
    }) => {
      const processes = await connections(8);
      const createMany = (begin: number) =>
        inParallel(50, processes, (connection, i) =>
          connection.create(newToken(`t${begin + i}`), { maxPerUser: 5 }),
        );
      const [before, , after] = await Promise.all([createMany(0), disturb(), createMany(50)]);
      assert.deepEqual(tally([...before, ...after]), { created: 5, limit_reached: 95 });
    },
  },
};
