import assert from 'node:assert/strict';
import { LONGEST_PENDING_MS, type PersonalAccessTokenStore } from '@latchhook/core/storage';
import type { PersonalAccessTokenFixture } from '../../fixtures/personal-access-token-fixture.ts';
import { ADA, AMPLE_LIMITS, HOUR_MS } from '../../samples/login-samples.ts';
import {
  assertEnded,
  createToken,
  EVERY_MINUTE,
  listedIds,
  newToken,
  TTL_MS,
  WHOLE_LIST,
} from '../../samples/personal-access-token-samples.ts';
import type { Suite } from '../../suite.ts';

/** A driver repeats a command after a dropped connection: the repetition changes nothing. */
export const tokenRepeats: Suite<PersonalAccessTokenFixture> = {
  name: 'personal access tokens: repeated commands',
  cases: {
    'returns the existing token if create() is repeated, without counting it again': async ({
      tokens,
      clock,
    }) => {
      const token = newToken('t1');
      const maxOne = { maxPerUser: 1 };
      await tokens.create(token, maxOne);
      clock.advance(1000);
      const usedToken = await tokens.use(token.tokenHash, EVERY_MINUTE);
      const repeated = await tokens.create(
        newToken('t1', { ttlMs: 2 * TTL_MS, name: 'other' }),
        maxOne,
      );
      assert.deepEqual(repeated, { outcome: 'created', token: usedToken });
      assert.deepEqual(await tokens.list(ADA, WHOLE_LIST), [usedToken]);
    },

    'does not revive a revoked token if create() is repeated': async ({ tokens, clock }) => {
      const ends = {
        revoked: () => tokens.revoke(newToken('revoked')),
        'revoked by hash': () => tokens.revokeByHash(newToken('revoked by hash').tokenHash),
        'revoked with all': () => tokens.revokeAll(ADA),
      };
      for (const [id, end] of Object.entries(ends)) {
        const token = newToken(id);
        await createToken(tokens, token);
        await end();
        clock.advance(1000);
        assert.equal((await tokens.create(token, { maxPerUser: 1 })).outcome, 'created');
        await assertEnded(tokens, token);
      }
    },

    'does not revive a revoked token if create() is repeated after the token expired': async ({
      tokens,
      clock,
    }) => {
      const token = newToken('t1', { ttlMs: 1_000 });
      await createToken(tokens, token);
      assert.equal(await tokens.revoke(token), true);
      clock.advance(LONGEST_PENDING_MS - 1);
      await createForOthers(tokens);
      await tokens.create(token, AMPLE_LIMITS);
      await assertEnded(tokens, token);
    },

    'does not revive a revoked token if create() is repeated after the clock was set back': async ({
      tokens,
      clock,
    }) => {
      const token = newToken('t1');
      await createToken(tokens, token);
      assert.equal(await tokens.revoke(token), true);
      clock.setBack(HOUR_MS);
      clock.advance(LONGEST_PENDING_MS - 1);
      await createForOthers(tokens);
      await tokens.create(token, AMPLE_LIMITS);
      await assertEnded(tokens, token);
    },

    'revokes nothing more if a revocation is repeated': async ({ tokens }) => {
      for (const id of ['t1', 't2', 't3']) await createToken(tokens, newToken(id));
      assert.equal(await tokens.revoke(newToken('t1')), true);
      assert.equal(await tokens.revoke(newToken('t1')), false);
      const { tokenHash } = newToken('t2');
      assert.notEqual(await tokens.revokeByHash(tokenHash), null);
      assert.equal(await tokens.revokeByHash(tokenHash), null);
      assert.deepEqual(await listedIds(tokens), ['t3']);
      assert.equal(await tokens.revokeAll(ADA), 1);
      assert.equal(await tokens.revokeAll(ADA), 0);
    },

    'records a use once if use() is repeated': async ({ tokens, clock }) => {
      const { tokenHash } = newToken('t1');
      await createToken(tokens, newToken('t1'));
      const usedToken = await tokens.use(tokenHash, EVERY_MINUTE);
      clock.advance(1);
      assert.deepEqual(await tokens.use(tokenHash, EVERY_MINUTE), usedToken);
    },
  },
};

/** Creates tokens of other users, because a store may delete ended tokens during creations. */
async function createForOthers(tokens: PersonalAccessTokenStore): Promise<void> {
  for (let i = 0; i < 10; i += 1) {
    await createToken(tokens, newToken('t1', { userId: `user-${i}` }));
  }
}
