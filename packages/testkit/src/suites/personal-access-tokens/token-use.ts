import assert from 'node:assert/strict';
import { tokenSuite } from '../../fixtures/personal-access-token-fixture.ts';
import { ADA, GRACE } from '../../samples/login-samples.ts';
import { EVERY_MINUTE, newToken } from '../../samples/personal-access-token-samples.ts';

const { touchEveryMs } = EVERY_MINUTE;

export const tokenUse = tokenSuite('personal access tokens: use', {
  'finds only the token with the given hash': async (t) => {
    const tokenOfAda = newToken('t1');
    const tokenOfGrace = newToken('t1', { userId: GRACE });
    await t.create(tokenOfAda);
    await t.create(tokenOfGrace);
    assert.equal((await t.use(tokenOfAda.tokenHash))?.userId, ADA);
    assert.equal((await t.use(tokenOfGrace.tokenHash))?.userId, GRACE);
  },

  'finds a token by its complete hash only': async (t) => {
    const { tokenHash, tokenId, userId } = newToken('t1');
    await t.create(newToken('t1'));
    const others = [newToken('t2').tokenHash, tokenHash.slice(1), `${tokenHash} `, '', '*'];
    for (const other of [...others, tokenId, userId, 'sequence', '__proto__']) {
      assert.equal(await t.use(other), null);
    }
  },

  'records the first use, only for the token that was used': async (t) => {
    const token = newToken('t1');
    const record = await t.create(token);
    const unused = await t.create(newToken('t2'));
    t.clock.advance(1);
    const usedToken = await t.use(token.tokenHash);
    assert.deepEqual(usedToken, { ...record, lastUsedAtMs: t.clock.nowMs() });
    assert.deepEqual(await t.list(), [usedToken, unused]);
  },

  'records the next use touchEveryMs after the last recorded use': async (t) => {
    const { tokenHash } = newToken('t1');
    await t.create(newToken('t1'));
    const first = await t.use(tokenHash);
    t.clock.advance(touchEveryMs - 1);
    assert.deepEqual(await t.use(tokenHash), first);
    assert.deepEqual(await t.list(), [first]);
    t.clock.advance(1);
    const next = await t.use(tokenHash);
    assert.equal(next?.lastUsedAtMs, t.clock.nowMs());
    assert.deepEqual(await t.list(), [next]);
  },

  'records every use if touchEveryMs is 0': async (t) => {
    const { tokenHash } = newToken('t1');
    await t.create(newToken('t1'));
    for (let i = 0; i < 3; i += 1) {
      t.clock.advance(1);
      const usedToken = await t.tokens.use(tokenHash, { touchEveryMs: 0 });
      assert.equal(usedToken?.lastUsedAtMs, t.clock.nowMs());
    }
  },
});
