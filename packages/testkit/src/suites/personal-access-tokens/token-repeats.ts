import assert from 'node:assert/strict';
import { LONGEST_PENDING_MS, type NewPersonalAccessToken } from '@latchhook/core/storage';
import { type TokenFixture, tokenSuite } from '../../fixtures/personal-access-token-fixture.ts';
import { ADA, AMPLE_LIMITS, HOUR_MS } from '../../samples/login-samples.ts';
import { newToken, TTL_MS } from '../../samples/personal-access-token-samples.ts';

/** A driver repeats a command after a dropped connection: the repetition changes nothing. */
export const tokenRepeats = tokenSuite('personal access tokens: repeated commands', {
  'returns the existing token if create() is repeated, without counting it again': async (t) => {
    const token = newToken('t1');
    const maxOne = { maxPerUser: 1 };
    await t.tokens.create(token, maxOne);
    t.clock.advance(1000);
    const usedToken = await t.use(token.tokenHash);
    const repeated = await t.tokens.create(
      newToken('t1', { ttlMs: 2 * TTL_MS, name: 'other' }),
      maxOne,
    );
    assert.deepEqual(repeated, { outcome: 'created', token: usedToken });
    assert.deepEqual(await t.list(), [usedToken]);
  },

  'does not revive a revoked token if create() is repeated': async (t) => {
    const ends = {
      revoked: () => t.tokens.revoke(newToken('revoked')),
      'revoked by hash': () => t.tokens.revokeByHash(newToken('revoked by hash').tokenHash),
      'revoked with all': () => t.tokens.revokeAll(ADA),
    };
    for (const [id, end] of Object.entries(ends)) {
      const token = newToken(id);
      await t.create(token);
      await end();
      t.clock.advance(1000);
      assert.equal((await t.tokens.create(token, { maxPerUser: 1 })).outcome, 'created');
      await t.assertEnded(token);
    }
  },

  'does not revive a revoked token if create() is repeated after the token expired': (t) =>
    assertStaysRevoked(t, newToken('t1', { ttlMs: 1_000 })),

  'does not revive a revoked token if create() is repeated after the clock was set back': (t) =>
    assertStaysRevoked(t, newToken('t1'), () => t.clock.setBack(HOUR_MS)),

  'revokes nothing more if a revocation is repeated': async (t) => {
    for (const id of ['t1', 't2', 't3']) await t.create(newToken(id));
    assert.equal(await t.tokens.revoke(newToken('t1')), true);
    assert.equal(await t.tokens.revoke(newToken('t1')), false);
    const { tokenHash } = newToken('t2');
    assert.notEqual(await t.tokens.revokeByHash(tokenHash), null);
    assert.equal(await t.tokens.revokeByHash(tokenHash), null);
    assert.deepEqual(await t.listedIds(), ['t3']);
    assert.equal(await t.tokens.revokeAll(ADA), 1);
    assert.equal(await t.tokens.revokeAll(ADA), 0);
  },

  'records a use once if use() is repeated': async (t) => {
    const { tokenHash } = newToken('t1');
    await t.create(newToken('t1'));
    const usedToken = await t.use(tokenHash);
    t.clock.advance(1);
    assert.deepEqual(await t.use(tokenHash), usedToken);
  },
});

/** Revokes a token, and creates it again as late as a command can be. Between the two, the clock may be set back. */
async function assertStaysRevoked(
  t: TokenFixture,
  token: NewPersonalAccessToken,
  setBack = (): void => {},
): Promise<void> {
  await t.create(token);
  assert.equal(await t.tokens.revoke(token), true);
  setBack();
  t.clock.advance(LONGEST_PENDING_MS - 1);
  await createForOthers(t);
  await t.tokens.create(token, AMPLE_LIMITS);
  await t.assertEnded(token);
}

/** Creates tokens of other users, because a store may delete ended tokens during creations. */
async function createForOthers(t: TokenFixture): Promise<void> {
  for (let i = 0; i < 10; i += 1) {
    await t.create(newToken('t1', { userId: `user-${i}` }));
  }
}
