import assert from 'node:assert/strict';
import { tokenSuite } from '../../fixtures/personal-access-token-fixture.ts';
import { ADA, DAY_MS } from '../../samples/login-samples.ts';
import { newToken, TTL_MS } from '../../samples/personal-access-token-samples.ts';

export const tokenExpiry = tokenSuite('personal access tokens: expiry', {
  'accepts, lists and revokes a token only before expiresAtMs': async (t) => {
    const token = newToken('t1');
    await t.create(token);
    t.clock.advance(TTL_MS - 1);
    assert.notEqual(await t.use(token.tokenHash), null);
    assert.deepEqual(await t.listedIds(), ['t1']);
    t.clock.advance(1);
    await t.assertEnded(token);
    assert.equal(await t.tokens.revokeAll(ADA), 0);
  },

  'does not extend expiresAtMs on use': async (t) => {
    const token = newToken('t1');
    const { expiresAtMs } = await t.create(token);
    for (let day = 1; day < TTL_MS / DAY_MS; day += 1) {
      t.clock.advance(DAY_MS);
      const usedToken = await t.use(token.tokenHash);
      assert.equal(usedToken?.expiresAtMs, expiresAtMs);
    }
    t.clock.advance(DAY_MS);
    await t.assertEnded(token);
  },

  'expires each token at its own time': async (t) => {
    await t.create(newToken('long'));
    const short = newToken('short', { ttlMs: 1000 });
    await t.create(short);
    await t.create(newToken('middling', { ttlMs: 2000 }));
    t.clock.advance(1000);
    // The first calls after the end: another might have deleted the token.
    assert.equal(await t.tokens.revokeByHash(short.tokenHash), null);
    assert.equal(await t.tokens.revoke(short), false);
    assert.deepEqual(await t.listedIds(), ['long', 'middling']);
    t.clock.advance(1000);
    assert.deepEqual(await t.listedIds(), ['long']);
  },
});
