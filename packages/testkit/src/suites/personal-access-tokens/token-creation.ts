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
  WHOLE_LIST,
} from '../../samples/personal-access-token-samples.ts';
import type { Suite } from '../../suite.ts';

const MAX_TWO = { maxPerUser: 2 } as const;

export const tokenCreation: Suite<PersonalAccessTokenFixture> = {
  name: 'personal access tokens: creation',
  cases: {
    'returns a token as it was created, without the hash, with timestamps of the storage clock':
      async ({ tokens, clock }) => {
        clock.advance(1234);
        const { tokenHash, ttlMs, ...stored } = newToken('t1');
        const { sequence, ...record } = await createToken(tokens, newToken('t1'));
        assert.ok(Number.isSafeInteger(sequence), `a sequence of ${sequence}`);
        assert.deepEqual(record, {
          ...stored,
          createdAtMs: clock.nowMs(),
          expiresAtMs: clock.nowMs() + TTL_MS,
          lastUsedAtMs: null,
        });
        assert.deepEqual(await tokens.list(ADA, WHOLE_LIST), [{ sequence, ...record }]);
      },

    'returns null and empty fields unchanged, in records that survive a JSON round trip': async ({
      tokens,
    }) => {
      const absent = { accountId: null, scopes: [], name: '' } as const;
      const record = await createToken(tokens, newToken('t1', absent));
      const { accountId, scopes, name } = record;
      assert.deepEqual({ accountId, scopes, name }, absent);
      assert.deepEqual(JSON.parse(JSON.stringify(record)), record);
      assert.deepEqual(await tokens.list(ADA, WHOLE_LIST), [record]);
    },

    'returns the account id unchanged, as an integer or a text': async ({ tokens }) => {
      for (const [i, accountId] of [7, ...TEXT_ACCOUNTS].entries()) {
        const token = newToken(`t${i}`, { accountId });
        assert.equal((await createToken(tokens, token)).accountId, accountId);
        const usedToken = await tokens.use(token.tokenHash, EVERY_MINUTE);
        assert.equal(usedToken?.accountId, accountId);
      }
    },

    'shows a new token on every connection': async ({ tokens, connections }) => {
      const token = newToken('t1');
      const record = await createToken(tokens, token);
      for (const other of await connections(2)) {
        assert.deepEqual(await other.list(ADA, WHOLE_LIST), [record]);
      }
      for (const other of await connections(2)) {
        assert.equal((await other.use(token.tokenHash, EVERY_MINUTE))?.tokenId, 't1');
      }
    },

    'stores nothing of a token beyond maxPerUser': async ({ tokens }) => {
      for (const id of ['t1', 't2']) await tokens.create(newToken(id), MAX_TWO);
      const tooMany = newToken('t3');
      assert.deepEqual(await tokens.create(tooMany, MAX_TWO), { outcome: 'limit_reached' });
      assert.equal(await tokens.use(tooMany.tokenHash, EVERY_MINUTE), null);
      assert.deepEqual(await listedIds(tokens), ['t1', 't2']);
      assert.equal((await tokens.create(tooMany, AMPLE_LIMITS)).outcome, 'created');
    },

    'frees capacity within maxPerUser when a token is revoked': async ({ tokens }) => {
      for (const id of ['t1', 't2']) await tokens.create(newToken(id), MAX_TWO);
      await tokens.revoke(newToken('t1'));
      assert.equal((await tokens.create(newToken('t3'), MAX_TWO)).outcome, 'created');
      assert.equal((await tokens.create(newToken('t4'), MAX_TWO)).outcome, 'limit_reached');
    },

    'frees capacity within maxPerUser when a token expires': async ({ tokens, clock }) => {
      await tokens.create(newToken('t1', { ttlMs: 1000 }), MAX_TWO);
      await tokens.create(newToken('t2'), MAX_TWO);
      clock.advance(999);
      assert.equal((await tokens.create(newToken('t3'), MAX_TWO)).outcome, 'limit_reached');
      clock.advance(1);
      assert.equal((await tokens.create(newToken('t3'), MAX_TWO)).outcome, 'created');
      assert.deepEqual(await listedIds(tokens), ['t2', 't3']);
    },

    'counts the tokens of each user separately': async ({ tokens }) => {
      for (const id of ['t1', 't2']) await tokens.create(newToken(id), MAX_TWO);
      const other = newToken('t3', { userId: GRACE });
      assert.equal((await tokens.create(other, MAX_TWO)).outcome, 'created');
    },

    'keeps similar user ids apart': async ({ tokens }) => {
      for (const userId of AWKWARD_TEXTS) {
        await createToken(tokens, newToken('same', { userId, name: userId }));
      }
      for (const userId of AWKWARD_TEXTS) {
        const listed = await tokens.list(userId, WHOLE_LIST);
        assert.deepEqual(
          listed.map((record) => [record.userId, record.name]),
          [[userId, userId]],
        );
      }
    },
  },
};
