import assert from 'node:assert/strict';
import type { PersonalAccessTokenFixture } from '../../fixtures/personal-access-token-fixture.ts';
import { ADA, DAY_MS } from '../../samples/login-samples.ts';
import {
  assertEnded,
  createToken,
  EVERY_MINUTE,
  listedIds,
  newToken,
  TTL_MS,
} from '../../samples/personal-access-token-samples.ts';
import type { Suite } from '../../suite.ts';

export const tokenExpiry: Suite<PersonalAccessTokenFixture> = {
  name: 'personal access tokens: expiry',
  cases: {
    'accepts and lists a token only before expiresAtMs': async ({ tokens, clock }) => {
      const { tokenHash } = newToken('t1');
      await createToken(tokens, newToken('t1'));
      clock.advance(TTL_MS - 1);
      assert.notEqual(await tokens.use(tokenHash, EVERY_MINUTE), null);
      assert.deepEqual(await listedIds(tokens), ['t1']);
      clock.advance(1);
      assert.equal(await tokens.use(tokenHash, EVERY_MINUTE), null);
      assert.deepEqual(await listedIds(tokens), []);
    },

    'does not extend expiresAtMs on use': async ({ tokens, clock }) => {
      const token = newToken('t1');
      const { expiresAtMs } = await createToken(tokens, token);
      for (let day = 1; day < TTL_MS / DAY_MS; day += 1) {
        clock.advance(DAY_MS);
        const usedToken = await tokens.use(token.tokenHash, EVERY_MINUTE);
        assert.equal(usedToken?.expiresAtMs, expiresAtMs);
      }
      clock.advance(DAY_MS);
      await assertEnded(tokens, token);
    },

    'expires each token at its own time': async ({ tokens, clock }) => {
      await createToken(tokens, newToken('long'));
      await createToken(tokens, newToken('short', { ttlMs: 1000 }));
      await createToken(tokens, newToken('middling', { ttlMs: 2000 }));
      clock.advance(1000);
      assert.deepEqual(await listedIds(tokens), ['long', 'middling']);
      clock.advance(1000);
      assert.deepEqual(await listedIds(tokens), ['long']);
    },

    'returns false, null or 0 to revocations of an expired token': async ({ tokens, clock }) => {
      const token = newToken('t1', { ttlMs: 1000 });
      await createToken(tokens, token);
      clock.advance(1000);
      assert.equal(await tokens.revoke(token), false);
      assert.equal(await tokens.revokeByHash(token.tokenHash), null);
      assert.equal(await tokens.revokeAll(ADA), 0);
    },
  },
};
