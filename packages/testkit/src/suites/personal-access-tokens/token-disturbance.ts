import assert from 'node:assert/strict';
import { tally } from '../../actions/outcomes.ts';
import { tokenSuite } from '../../fixtures/personal-access-token-fixture.ts';
import { ADA } from '../../samples/login-samples.ts';
import { newToken } from '../../samples/personal-access-token-samples.ts';
import { disturbancesOf } from '../../suite.ts';

export const tokenDisturbance = tokenSuite(disturbancesOf('personal access tokens'), {
  'returns the same outcomes for tokens with a disturbance before each call': async ({
    disturbed: t,
  }) => {
    const [first, second] = [newToken('t1'), newToken('t2')];
    for (const token of [first, second, newToken('t3')]) await t.create(token);
    const usedToken = await t.use(first.tokenHash);
    assert.deepEqual((await t.list())[0], usedToken);
    assert.equal(await t.tokens.revoke(first), true);
    assert.equal((await t.tokens.revokeByHash(second.tokenHash))?.tokenId, 't2');
    assert.equal(await t.tokens.revokeAll(ADA), 1);
  },

  'keeps maxPerUser under 100 parallel creations during a disturbance': async (t) => {
    const results = await t.inParallelDisturbed((connection, i) =>
      connection.tokens.create(newToken(`t${i}`), { maxPerUser: 5 }),
    );
    assert.deepEqual(tally(results), { created: 5, limit_reached: 95 });
  },
});
