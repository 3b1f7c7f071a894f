import assert from 'node:assert/strict';
import { tokenSuite } from '../../fixtures/personal-access-token-fixture.ts';
import { ADA, GRACE } from '../../samples/login-samples.ts';
import { newToken } from '../../samples/personal-access-token-samples.ts';

export const tokenRevocation = tokenSuite('personal access tokens: revocation', {
  'revokes only the named token on revoke()': async (t) => {
    const [revokedToken, keptToken] = [newToken('t1'), newToken('t2')];
    for (const token of [revokedToken, keptToken]) await t.create(token);
    assert.equal(await t.tokens.revoke(revokedToken), true);
    await t.assertEnded(revokedToken);
    assert.equal((await t.use(keptToken.tokenHash))?.tokenId, 't2');
    assert.deepEqual(await t.listedIds(), ['t2']);
  },

  'revokes and returns the one token with the hash on revokeByHash()': async (t) => {
    const [leakedToken, keptToken] = [newToken('t1'), newToken('t2')];
    const record = await t.create(leakedToken);
    await t.create(keptToken);
    assert.deepEqual(await t.tokens.revokeByHash(leakedToken.tokenHash), record);
    await t.assertEnded(leakedToken);
    assert.deepEqual(await t.listedIds(), ['t2']);
  },

  'revokes and counts only the tokens of the user on revokeAll()': async (t) => {
    const tokensOfAda = ['t1', 't2', 't3'].map((id) => newToken(id));
    const tokenOfGrace = newToken('t1', { userId: GRACE });
    for (const token of [...tokensOfAda, tokenOfGrace]) await t.create(token);
    await t.tokens.revoke(newToken('t2'));
    assert.equal(await t.tokens.revokeAll(ADA), 2);
    for (const token of tokensOfAda) await t.assertEnded(token);
    assert.equal((await t.use(tokenOfGrace.tokenHash))?.userId, GRACE);
  },

  'keeps tokens that are created after revokeAll()': async (t) => {
    await t.create(newToken('t1'));
    await t.tokens.revokeAll(ADA);
    await t.create(newToken('t2'));
    assert.deepEqual(await t.listedIds(), ['t2']);
  },

  'revokes nothing for an unknown token or user, or for a token of another user': async (t) => {
    const [unknown, tokenOfGrace] = [newToken('t2'), newToken('t3', { userId: GRACE })];
    for (const token of [newToken('t1'), tokenOfGrace]) await t.create(token);
    const refs = [unknown, { userId: 'nobody', tokenId: 't1' }, { userId: ADA, tokenId: 't3' }];
    for (const ref of refs) assert.equal(await t.tokens.revoke(ref), false);
    assert.equal(await t.tokens.revokeByHash(unknown.tokenHash), null);
    assert.equal(await t.tokens.revokeAll('nobody'), 0);
    assert.deepEqual(await t.listedIds(), ['t1']);
    assert.notEqual(await t.use(tokenOfGrace.tokenHash), null);
  },
});
