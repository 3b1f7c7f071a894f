import type { PersonalAccessTokenStore } from '@latchhook/core/storage';
import { WHOLE_LIST } from '../../samples/personal-access-token-samples.ts';
import { expectTokenFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import { faultyResults, faultyTokens } from '../../self-test/faulty-storage.ts';
import { tokenRevocation } from './token-revocation.ts';

/** Finds tokens by id, regardless of the user. */
function findByIdOnly(tokens: PersonalAccessTokenStore): Partial<PersonalAccessTokenStore> {
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

const revokesNothing = faultyTokens(() => ({ revoke: async () => true }));

expectTokenFaultsNoticed(tokenRevocation, {
  'revokes only the named token on revoke()': {
    'revokes nothing': revokesNothing,
    'revokes all tokens of the user': faultyTokens((tokens) => ({
      revoke: async ({ userId }) => (await tokens.revokeAll(userId)) > 0,
    })),
    'only hides the token from the list': faultyTokens((tokens) => {
      const hidden = new Set<string>();
      return {
        revoke: async ({ tokenId }) => {
          const isFirst = !hidden.has(tokenId);
          hidden.add(tokenId);
          return isFirst;
        },
        list: async (userId, page) => {
          const listed = await tokens.list(userId, page);
          return listed.filter(({ tokenId }) => !hidden.has(tokenId));
        },
      };
    }),
  },
  'revokes and returns the one token with the hash on revokeByHash()': {
    'returns the token without revoking it': faultyTokens((tokens) => ({
      revokeByHash: (tokenHash) => tokens.use(tokenHash, { touchEveryMs: Number.MAX_SAFE_INTEGER }),
    })),
    'returns null': faultyResults('personalAccessTokens', 'revokeByHash', () => null),
    'revokes all tokens of the user': faultyTokens((tokens) => ({
      revokeByHash: async (tokenHash) => {
        const record = await tokens.revokeByHash(tokenHash);
        if (record !== null) await tokens.revokeAll(record.userId);
        return record;
      },
    })),
  },
  'revokes and counts only the tokens of the user on revokeAll()': {
    'revokes the newest token only': faultyTokens((tokens) => ({
      revokeAll: async (userId) => {
        const listed = await tokens.list(userId, WHOLE_LIST);
        const newest = listed.at(-1);
        if (newest !== undefined) await tokens.revoke(newest);
        return listed.length;
      },
    })),
    'counts tokens revoked before': faultyResults(
      'personalAccessTokens',
      'revokeAll',
      (result) => result + 1,
    ),
    'revokes tokens of all users': faultyTokens((tokens) => {
      const users = new Set<string>();
      return {
        create: (token, limits) => {
          users.add(token.userId);
          return tokens.create(token, limits);
        },
        revokeAll: async (userId) => {
          const count = await tokens.revokeAll(userId);
          for (const other of users) await tokens.revokeAll(other);
          return count;
        },
      };
    }),
  },
  'keeps tokens that are created after revokeAll()': {
    'hides later tokens of the user': faultyTokens((tokens) => {
      const revokedUsers = new Set<string>();
      return {
        revokeAll: (userId) => {
          revokedUsers.add(userId);
          return tokens.revokeAll(userId);
        },
        list: async (userId, page) => (revokedUsers.has(userId) ? [] : tokens.list(userId, page)),
      };
    }),
  },
  'revokes nothing for an unknown token or user, or for a token of another user': {
    'always returns true': revokesNothing,
    'ignores the user id': faultyTokens(findByIdOnly),
    'returns another token': faultyTokens((tokens) => ({
      revokeByHash: async (tokenHash) => {
        const [another] = await tokens.list('user-ada', WHOLE_LIST);
        return (await tokens.revokeByHash(tokenHash)) ?? another ?? null;
      },
    })),
    'returns at least 1': faultyResults('personalAccessTokens', 'revokeAll', (result) =>
      Math.max(1, result),
    ),
  },
});
