import type { PersonalAccessTokenStore } from '@latchhook/core/storage';
import { WHOLE } from '../../samples/personal-access-token-samples.ts';
import { expectTokenFaultsNoticed } from '../../self-test/expect-token-faults-noticed.ts';
import { tokensThat } from '../../self-test/faulty-personal-access-tokens.ts';
import { tokenRevocation } from './token-revocation.ts';

/** Finds tokens only by their ids, regardless of who the user is. */
function byIdAlone(tokens: PersonalAccessTokenStore): Partial<PersonalAccessTokenStore> {
  const owners = new Map<string, string>();
  return {
    create: (token, limits) => {
      owners.set(token.tokenId, token.userId);
      return tokens.create(token, limits);
    },
    revoke: ({ userId, tokenId }) =>
      tokens.revoke({ tokenId, userId: owners.get(tokenId) ?? userId }),
  };
}

const revokesNothing = tokensThat(() => ({ revoke: async () => true }));

expectTokenFaultsNoticed(tokenRevocation, {
  'revokes the named token only': {
    'revokes nothing': revokesNothing,
    'revokes all tokens of the user': tokensThat((tokens) => ({
      revoke: async ({ userId }) => (await tokens.revokeAll(userId)) > 0,
    })),
    'hides the token from the list only': tokensThat((tokens) => {
      const hidden = new Set<string>();
      return {
        revoke: async ({ tokenId }) => hidden.size < hidden.add(tokenId).size,
        list: async (userId, page) => {
          const listed = await tokens.list(userId, page);
          return listed.filter(({ tokenId }) => !hidden.has(tokenId));
        },
      };
    }),
  },
  'revokes one token by its hash, and returns it': {
    'returns the token without revoking it': tokensThat((tokens) => ({
      revokeByHash: (tokenHash) => tokens.use(tokenHash, { touchEveryMs: Number.MAX_SAFE_INTEGER }),
    })),
    'returns null': tokensThat((tokens) => ({
      revokeByHash: async (tokenHash) => {
        await tokens.revokeByHash(tokenHash);
        return null;
      },
    })),
    'revokes all tokens of the user': tokensThat((tokens) => ({
      revokeByHash: async (tokenHash) => {
        const record = await tokens.revokeByHash(tokenHash);
        if (record !== null) await tokens.revokeAll(record.userId);
        return record;
      },
    })),
  },
  'revokes every token of the user and no other on revokeAll(), and returns how many': {
    'revokes the newest token only': tokensThat((tokens) => ({
      revokeAll: async (userId) => {
        const listed = await tokens.list(userId, WHOLE);
        const newest = listed.at(-1);
        if (newest !== undefined) await tokens.revoke(newest);
        return listed.length;
      },
    })),
    'counts tokens revoked before': tokensThat((tokens) => ({
      revokeAll: async (userId) => (await tokens.revokeAll(userId)) + 1,
    })),
    'revokes tokens of all users': tokensThat((tokens) => {
      const users = new Set<string>();
      return {
        create: (token, limits) => {
          users.add(token.userId);
          return tokens.create(token, limits);
        },
        revokeAll: async (userId) => {
          const ended = await tokens.revokeAll(userId);
          for (const other of users) await tokens.revokeAll(other);
          return ended;
        },
      };
    }),
  },
  'keeps tokens that are created after revokeAll()': {
    'hides later tokens of the user': tokensThat((tokens) => {
      const barred = new Set<string>();
      return {
        revokeAll: (userId) => {
          barred.add(userId);
          return tokens.revokeAll(userId);
        },
        list: async (userId, page) => (barred.has(userId) ? [] : tokens.list(userId, page)),
      };
    }),
  },
  'revokes no token of another user': {
    'ignores the user id': tokensThat(byIdAlone),
    'returns true for a token of another user': revokesNothing,
  },
  'revokes nothing for an unknown token or user': {
    'always returns true': revokesNothing,
    'ignores the user id': tokensThat(byIdAlone),
    'returns another token': tokensThat((tokens) => ({
      revokeByHash: async (tokenHash) => {
        const [any] = await tokens.list('user-ada', WHOLE);
        return (await tokens.revokeByHash(tokenHash)) ?? any ?? null;
      },
    })),
    'returns at least 1': tokensThat((tokens) => ({
      revokeAll: async (userId) => Math.max(1, await tokens.revokeAll(userId)),
    })),
  },
});
