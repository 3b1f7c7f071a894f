import assert from 'node:assert/strict';
import type { PersonalAccessTokenFixture } from '../../fixtures/personal-access-token-fixture.ts';
import { ADA, GRACE } from '../../samples/login-samples.ts';
import {
  assertEnded,
  createToken,
  EVERY_MINUTE,
  listedIds,
  newToken,
} from '../../samples/personal-access-token-samples.ts';
import type { Suite } from '../../suite.ts';

export const tokenRevocation: Suite<PersonalAccessTokenFixture> = {
  name: 'personal access tokens: revocation',
  cases: {
    'revokes only the named token on revoke()': async ({ tokens }) => {
      const [revokedToken, keptToken] = [newToken('t1'), newToken('t2')];
      for (const token of [revokedToken, keptToken]) await createToken(tokens, token);
      assert.equal(await tokens.revoke(revokedToken), true);
      await assertEnded(tokens, revokedToken);
      assert.equal((await tokens.use(keptToken.tokenHash, EVERY_MINUTE))?.tokenId, 't2');
      assert.deepEqual(await listedIds(tokens), ['t2']);
    },

    'revokes and returns the one token with the hash on revokeByHash()': async ({ tokens }) => {
      const [leakedToken, keptToken] = [newToken('t1'), newToken('t2')];
      const record = await createToken(tokens, leakedToken);
      await createToken(tokens, keptToken);
      assert.deepEqual(await tokens.revokeByHash(leakedToken.tokenHash), record);
      await assertEnded(tokens, leakedToken);
      assert.deepEqual(await listedIds(tokens), ['t2']);
    },

    'revokes and counts only the tokens of the user on revokeAll()': async ({ tokens }) => {
      const tokensOfAda = ['t1', 't2', 't3'].map((id) => newToken(id));
      const tokenOfGrace = newToken('t1', { userId: GRACE });
      for (const token of [...tokensOfAda, tokenOfGrace]) await createToken(tokens, token);
      await tokens.revoke(newToken('t2'));
      assert.equal(await tokens.revokeAll(ADA), 2);
      for (const token of tokensOfAda) await assertEnded(tokens, token);
      assert.equal((await tokens.use(tokenOfGrace.tokenHash, EVERY_MINUTE))?.userId, GRACE);
    },

    'keeps tokens that are created after revokeAll()': async ({ tokens }) => {
      await createToken(tokens, newToken('t1'));
      await tokens.revokeAll(ADA);
      await createToken(tokens, newToken('t2'));
      assert.deepEqual(await listedIds(tokens), ['t2']);
    },

    'revokes no token of another user': async ({ tokens }) => {
      const tokenOfGrace = newToken('t1', { userId: GRACE });
      await createToken(tokens, newToken('t2'));
      await createToken(tokens, tokenOfGrace);
      assert.equal(await tokens.revoke({ userId: ADA, tokenId: 't1' }), false);
      assert.notEqual(await tokens.use(tokenOfGrace.tokenHash, EVERY_MINUTE), null);
    },

    'revokes nothing for an unknown token or user': async ({ tokens }) => {
      await createToken(tokens, newToken('t1'));
      const unknown = newToken('t2');
      assert.equal(await tokens.revoke(unknown), false);
      assert.equal(await tokens.revoke({ userId: 'nobody', tokenId: 't1' }), false);
      assert.equal(await tokens.revokeByHash(unknown.tokenHash), null);
      assert.equal(await tokens.revokeAll(GRACE), 0);
      assert.deepEqual(await listedIds(tokens), ['t1']);
    },
  },
};
