import assert from 'node:assert/strict';
import type { PersonalAccessTokenFixture } from '../../fixtures/personal-access-token-fixture.ts';
import { ADA, GRACE } from '../../samples/login-samples.ts';
import {
  createToken,
  EVERY_MINUTE,
  newToken,
  WHOLE_LIST,
} from '../../samples/personal-access-token-samples.ts';
import type { Suite } from '../../suite.ts';

const { touchEveryMs } = EVERY_MINUTE;

export const tokenUse: Suite<PersonalAccessTokenFixture> = {
  name: 'personal access tokens: use',
  cases: {
    'finds only the token with the given hash': async ({ tokens }) => {
      const tokenOfAda = newToken('t1');
      const tokenOfGrace = newToken('t1', { userId: GRACE });
      await createToken(tokens, tokenOfAda);
      await createToken(tokens, tokenOfGrace);
      assert.equal((await tokens.use(tokenOfAda.tokenHash, EVERY_MINUTE))?.userId, ADA);
      assert.equal((await tokens.use(tokenOfGrace.tokenHash, EVERY_MINUTE))?.userId, GRACE);
    },

    'finds a token by its complete hash only': async ({ tokens }) => {
      const { tokenHash, tokenId, userId } = newToken('t1');
      await createToken(tokens, newToken('t1'));
      const others = [newToken('t2').tokenHash, tokenHash.slice(1), `${tokenHash} `, '', '*'];
      for (const other of [...others, tokenId, userId, 'sequence', '__proto__']) {
        assert.equal(await tokens.use(other, EVERY_MINUTE), null);
      }
    },

    'records the first use': async ({ tokens, clock }) => {
      const token = newToken('t1');
      const record = await createToken(tokens, token);
      clock.advance(1);
      const usedToken = await tokens.use(token.tokenHash, EVERY_MINUTE);
      assert.deepEqual(usedToken, { ...record, lastUsedAtMs: clock.nowMs() });
      assert.deepEqual(await tokens.list(ADA, WHOLE_LIST), [usedToken]);
    },

    'records the next use in the millisecond that touchEveryMs has passed': async ({
      tokens,
      clock,
    }) => {
      const { tokenHash } = newToken('t1');
      await createToken(tokens, newToken('t1'));
      const first = await tokens.use(tokenHash, EVERY_MINUTE);
      clock.advance(touchEveryMs - 1);
      assert.deepEqual(await tokens.use(tokenHash, EVERY_MINUTE), first);
      assert.deepEqual(await tokens.list(ADA, WHOLE_LIST), [first]);
      clock.advance(1);
      const next = await tokens.use(tokenHash, EVERY_MINUTE);
      assert.equal(next?.lastUsedAtMs, clock.nowMs());
      assert.deepEqual(await tokens.list(ADA, WHOLE_LIST), [next]);
    },

    'counts touchEveryMs from the last recorded use': async ({ tokens, clock }) => {
      const { tokenHash } = newToken('t1');
      await createToken(tokens, newToken('t1'));
      await tokens.use(tokenHash, EVERY_MINUTE);
      clock.advance(touchEveryMs - 1);
      await tokens.use(tokenHash, EVERY_MINUTE);
      clock.advance(1);
      assert.equal((await tokens.use(tokenHash, EVERY_MINUTE))?.lastUsedAtMs, clock.nowMs());
    },

    'records every use if touchEveryMs is 0': async ({ tokens, clock }) => {
      const { tokenHash } = newToken('t1');
      await createToken(tokens, newToken('t1'));
      for (let i = 0; i < 3; i += 1) {
        clock.advance(1);
        const usedToken = await tokens.use(tokenHash, { touchEveryMs: 0 });
        assert.equal(usedToken?.lastUsedAtMs, clock.nowMs());
      }
    },

    'records a use only for the token that was used': async ({ tokens }) => {
      const [usedToken, other] = [newToken('t1'), newToken('t2')];
      await createToken(tokens, usedToken);
      const unused = await createToken(tokens, other);
      await tokens.use(usedToken.tokenHash, EVERY_MINUTE);
      assert.deepEqual((await tokens.list(ADA, WHOLE_LIST))[1], unused);
    },
  },
};
