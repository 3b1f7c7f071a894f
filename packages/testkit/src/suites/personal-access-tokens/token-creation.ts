import assert from 'node:assert/strict';
import { tokenSuite } from '../../fixtures/personal-access-token-fixture.ts';
import { TEXT_ACCOUNTS } from '../../samples/account-samples.ts';
import { AWKWARD_TEXTS } from '../../samples/awkward-texts.ts';
import { AMPLE_LIMITS, GRACE } from '../../samples/login-samples.ts';
import { newToken, TTL_MS } from '../../samples/personal-access-token-samples.ts';

const MAX_TWO = { maxPerUser: 2 } as const;

export const tokenCreation = tokenSuite('personal access tokens: creation', {
  'returns a created token without its hash, with times of the storage clock': async (t) => {
    t.clock.advance(1234);
    const { tokenHash, ttlMs, ...stored } = newToken('t1');
    const { sequence, ...record } = await t.create(newToken('t1'));
    assert.ok(Number.isSafeInteger(sequence), `a sequence of ${sequence}`);
    assert.deepEqual(record, {
      ...stored,
      createdAtMs: t.clock.nowMs(),
      expiresAtMs: t.clock.nowMs() + TTL_MS,
      lastUsedAtMs: null,
    });
    assert.deepEqual(await t.list(), [{ sequence, ...record }]);
  },

  'returns null and empty fields unchanged, even after a JSON round trip': async (t) => {
    const absent = { accountId: null, scopes: [], name: '' } as const;
    const record = await t.create(newToken('t1', absent));
    const { accountId, scopes, name } = record;
    assert.deepEqual({ accountId, scopes, name }, absent);
    assert.deepEqual(JSON.parse(JSON.stringify(record)), record);
    assert.deepEqual(await t.list(), [record]);
  },

  'returns the account id unchanged, as an integer or a text': async (t) => {
    for (const [i, accountId] of [7, ...TEXT_ACCOUNTS].entries()) {
      const token = newToken(`t${i}`, { accountId });
      assert.equal((await t.create(token)).accountId, accountId);
      const usedToken = await t.use(token.tokenHash);
      assert.equal(usedToken?.accountId, accountId);
    }
  },

  'shows a new token on every connection': async (t) => {
    const token = newToken('t1');
    const record = await t.create(token);
    for (const other of await t.connections(2)) {
      assert.deepEqual(await other.list(), [record]);
    }
    for (const other of await t.connections(2)) {
      assert.equal((await other.use(token.tokenHash))?.tokenId, 't1');
    }
  },

  'stores nothing of a token beyond maxPerUser': async (t) => {
    for (const id of ['t1', 't2']) await t.tokens.create(newToken(id), MAX_TWO);
    const tooMany = newToken('t3');
    assert.deepEqual(await t.tokens.create(tooMany, MAX_TWO), { outcome: 'limit_reached' });
    assert.equal(await t.use(tooMany.tokenHash), null);
    assert.deepEqual(await t.listedIds(), ['t1', 't2']);
    assert.equal((await t.tokens.create(tooMany, AMPLE_LIMITS)).outcome, 'created');
  },

  'frees capacity within maxPerUser when a token is revoked': async (t) => {
    for (const id of ['t1', 't2']) await t.tokens.create(newToken(id), MAX_TWO);
    await t.tokens.revoke(newToken('t1'));
    assert.equal((await t.tokens.create(newToken('t3'), MAX_TWO)).outcome, 'created');
    assert.equal((await t.tokens.create(newToken('t4'), MAX_TWO)).outcome, 'limit_reached');
  },

  'frees capacity within maxPerUser when a token expires': async (t) => {
    await t.tokens.create(newToken('t1', { ttlMs: 1000 }), MAX_TWO);
    await t.tokens.create(newToken('t2'), MAX_TWO);
    t.clock.advance(999);
    assert.equal((await t.tokens.create(newToken('t3'), MAX_TWO)).outcome, 'limit_reached');
    t.clock.advance(1);
    assert.equal((await t.tokens.create(newToken('t3'), MAX_TWO)).outcome, 'created');
    assert.deepEqual(await t.listedIds(), ['t2', 't3']);
  },

  'counts the tokens of each user separately': async (t) => {
    for (const id of ['t1', 't2']) await t.tokens.create(newToken(id), MAX_TWO);
    const other = newToken('t3', { userId: GRACE });
    assert.equal((await t.tokens.create(other, MAX_TWO)).outcome, 'created');
  },

  'keeps similar user ids apart': async (t) => {
    for (const userId of AWKWARD_TEXTS) {
      await t.create(newToken('same', { userId, name: userId }));
    }
    for (const userId of AWKWARD_TEXTS) {
      const listed = await t.list(userId);
      assert.deepEqual(
        listed.map((record) => [record.userId, record.name]),
        [[userId, userId]],
      );
    }
  },
});
