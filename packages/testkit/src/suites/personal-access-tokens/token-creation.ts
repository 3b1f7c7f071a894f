import assert from 'node:assert/strict';
import type { PersonalAccessTokenFixture } from '../../fixtures/personal-access-token-fixture.ts';
import { TEXT_ACCOUNTS } from '../../samples/account-samples.ts';
import { AWKWARD_TEXTS } from '../../samples/awkward-texts.ts';
import { ADA, AMPLE_LIMITS, GRACE } from '../../samples/login-samples.ts';
import {
  createToken,
  EVERY_MINUTE,
  listedIds,
  newToken,
  TTL_MS,
  WHOLE,
} from '../../samples/personal-access-token-samples.ts';
import type { Suite } from '../../suite.ts';

const TWO = { maxPerUser: 2 } as const;

export const tokenCreation: Suite<PersonalAccessTokenFixture> = {
  name: 'personal access tokens: creation',
  cases: {
    'stores a token as given, hides its hash, and takes timestamps from the storage clock': async ({
      tokens,
      clock,
    }) => {
      clock.advance(1234);
      const { tokenHash, ttlMs, ...given } = newToken('t1');
      const { sequence, ...record } = await createToken(tokens, newToken('t1'));
      assert.ok(Number.isSafeInteger(sequence), `a sequence of ${sequence}`);
      assert.deepEqual(record, {
        ...given,
        createdAtMs: clock.nowMs(),
        expiresAtMs: clock.nowMs() + TTL_MS,
        lastUsedAtMs: null,
      });
      assert.deepEqual(await tokens.list(ADA, WHOLE), [{ sequence, ...record }]);
    },

    'returns null and empty fields unchanged, in records that survive a JSON round trip': async ({
      tokens,
    }) => {
      const absent = { accountId: null, scopes: [], name: '' } as const;
      const record = await createToken(tokens, newToken('t1', absent));
      const { accountId, scopes, name } = record;
      assert.deepEqual({ accountId, scopes, name }, absent);
      assert.deepEqual(JSON.parse(JSON.stringify(record)), record);
      assert.deepEqual(await tokens.list(ADA, WHOLE), [record]);
    },

    'returns the account id unchanged, as an integer or a text': async ({ tokens }) => {
      for (const [i, accountId] of [7, ...TEXT_ACCOUNTS].entries()) {
        const token = newToken(`t${i}`, { accountId });
        assert.equal((await createToken(tokens, token)).accountId, accountId);
        const used = await tokens.use(token.tokenHash, EVERY_MINUTE);
        assert.equal(used?.accountId, accountId);
      }
    },

    'shows a new token on every connection': async ({ tokens, connections }) => {
      const token = newToken('t1');
      const record = await createToken(tokens, token);
      for (const other of await connections(2)) {
        assert.deepEqual(await other.list(ADA, WHOLE), [record]);
      }
      for (const other of await connections(2)) {
        assert.equal((await other.use(token.tokenHash, EVERY_MINUTE))?.tokenId, 't1');
      }
    },

    'creates no more than maxPerUser tokens, and stores nothing of a rejected one': async ({
      tokens,
    }) => {
      for (const id of ['t1', 't2']) await tokens.create(newToken(id), TWO);
      const tooMany = newToken('t3');
      assert.deepEqual(await tokens.create(tooMany, TWO), { outcome: 'limit_reached' });
      assert.equal(await tokens.use(tooMany.tokenHash, EVERY_MINUTE), null);
      assert.deepEqual(await listedIds(tokens), ['t1', 't2']);
      assert.equal((await tokens.create(tooMany, AMPLE_LIMITS)).outcome, 'created');
    },

    'frees capacity within maxPerUser when a token is revoked': async ({ tokens }) => {
      for (const id of ['t1', 't2']) await tokens.create(newToken(id), TWO);
      await tokens.revoke(newToken('t1'));
      assert.equal((await tokens.create(newToken('t3'), TWO)).outcome, 'created');
      assert.equal((await tokens.create(newToken('t4'), TWO)).outcome, 'limit_reached');
    },

    'frees capacity within maxPerUser when a token expires': async ({ tokens, clock }) => {
      await tokens.create(newToken('t1', { ttlMs: 1000 }), TWO);
      await tokens.create(newToken('t2'), TWO);
      clock.advance(999);
      assert.equal((await tokens.create(newToken('t3'), TWO)).outcome, 'limit_reached');
      clock.advance(1);
      assert.equal((await tokens.create(newToken('t3'), TWO)).outcome, 'created');
      assert.deepEqual(await listedIds(tokens), ['t2', 't3']);
    },

    'counts the tokens of each user separately': async ({ tokens }) => {
      for (const id of ['t1', 't2']) await tokens.create(newToken(id), TWO);
      const other = newToken('t3', { userId: GRACE });
      assert.equal((await tokens.create(other, TWO)).outcome, 'created');
    },

    'keeps similar user ids apart': async ({ tokens }) => {
      for (const userId of AWKWARD_TEXTS) {
        await createToken(tokens, newToken('same', { userId, name: userId }));
      }
      for (const userId of AWKWARD_TEXTS) {
        const listed = await tokens.list(userId, WHOLE);
        assert.deepEqual(
          listed.map((record) => [record.userId, record.name]),
          [[userId, userId]],
        );
      }
    },
  },
};
