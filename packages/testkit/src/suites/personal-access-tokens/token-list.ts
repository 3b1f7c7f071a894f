import assert from 'node:assert/strict';
import type { PersonalAccessTokenStore } from '@latchhook/core/storage';
import { pagesOf } from '../../actions/pages-of.ts';
import { pluck } from '../../actions/pluck.ts';
import { tokenSuite } from '../../fixtures/personal-access-token-fixture.ts';
import { ADA, GRACE } from '../../samples/login-samples.ts';
import { newToken } from '../../samples/personal-access-token-samples.ts';

export const tokenList = tokenSuite('personal access tokens: list', {
  'lists the tokens of one user in the order of creation': async (t) => {
    for (const id of ['t2', 't3', 't1']) {
      await t.create(newToken(id));
      await t.create(newToken(`other ${id}`, { userId: GRACE }));
    }
    assert.deepEqual(await t.listedIds(), ['t2', 't3', 't1']);
    assert.deepEqual(await t.listedIds(GRACE), ['other t2', 'other t3', 'other t1']);
    assert.deepEqual(await t.listedIds('nobody'), []);
  },

  'fills every page of a list except the last': async (t) => {
    // Created in another order than that of the ids.
    const ids = ['t0', 't5', 't3', 't1', 't6', 't4', 't2'];
    for (const id of ids) await t.create(newToken(id));
    assert.deepEqual(await idPages(t.tokens), [ids.slice(0, 3), ids.slice(3, 6), ids.slice(6)]);
  },

  'fills pages of a list even if tokens in between have expired': async (t) => {
    for (const id of ['t1', 't2', 't3', 't4', 't5', 't6']) {
      await t.create(newToken(id, id < 't4' ? { ttlMs: 1000 } : {}));
    }
    t.clock.advance(1000);
    assert.deepEqual(await idPages(t.tokens), [['t4', 't5', 't6']]);
  },

  'continues a list after a revoked token': async (t) => {
    for (const id of ['t1', 't2', 't3']) await t.create(newToken(id));
    const [, last] = await t.tokens.list(ADA, { limit: 2, after: null });
    assert.equal(last?.tokenId, 't2');
    await t.tokens.revoke(newToken('t2'));
    const next = await t.tokens.list(ADA, { limit: 2, after: last?.sequence ?? null });
    assert.deepEqual(pluck(next, 'tokenId'), ['t3']);
  },

  'continues a list with a token created after the newest token was revoked': async (t) => {
    const newest = await t.create(newToken('t1'));
    await t.tokens.revoke(newest);
    // Within one millisecond, both tokens could get the same sequence. In practice, to list and revoke takes longer.
    t.clock.advance(1);
    const next = await t.create(newToken('t2'));
    assert.deepEqual(await t.tokens.list(ADA, { limit: 2, after: newest.sequence }), [next]);
  },

  'does not reveal in the sequence how many tokens other users create': async (t) => {
    const sequenceOf = async (tokenId: string, userId: string) =>
      (await t.create(newToken(tokenId, { userId }))).sequence;
    const first = await sequenceOf('t1', ADA);
    const step = (await sequenceOf('t2', ADA)) - first;
    const before = await sequenceOf('t1', GRACE);
    for (const id of ['t1', 't2', 't3', 't4', 't5']) await sequenceOf(id, 'user-other');
    assert.equal(await sequenceOf('t2', GRACE), before + step);
  },
});

async function idPages(tokens: PersonalAccessTokenStore): Promise<readonly (readonly string[])[]> {
  const pages = await pagesOf((page) => tokens.list(ADA, page), 3);
  return pages.map((page) => pluck(page, 'tokenId'));
}
