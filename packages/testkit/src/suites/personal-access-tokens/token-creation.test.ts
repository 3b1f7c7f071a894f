import type { PersonalAccessTokenStore } from '@latchhook/core/storage';
import { WHOLE_LIST } from '../../samples/personal-access-token-samples.ts';
import { expectTokenFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import { faultyRequests, faultyResults, faultyTokens } from '../../self-test/faulty-storage.ts';
import { unshared } from '../../self-test/reference.ts';
import { textFaults } from '../../self-test/text-faults.ts';
import { tokenCreation } from './token-creation.ts';

const NO_LIMIT = { maxPerUser: Number.MAX_SAFE_INTEGER } as const;

const countsAllEverCreated = faultyTokens((tokens) => {
  let created = 0;
  return {
    create: async (token, { maxPerUser }) => {
      if (created >= maxPerUser) return { outcome: 'limit_reached' };
      created += 1;
      return tokens.create(token, NO_LIMIT);
    },
  };
});

/** Changes user ids, like a store that builds keys from them. */
function changeUserIds(read: (userId: string) => string) {
  return faultyTokens((tokens) => ({
    create: (token, limits) => tokens.create({ ...token, userId: read(token.userId) }, limits),
    list: async (userId, page) => {
      const listed = await tokens.list(read(userId), page);
      return listed.map((record) => ({ ...record, userId }));
    },
  }));
}

function faultyCreation(
  tokens: PersonalAccessTokenStore,
  change: object,
): Pick<PersonalAccessTokenStore, 'create'> {
  return {
    create: async (token, limits) => {
      const result = await tokens.create(token, limits);
      if (result.outcome !== 'created') return result;
      return { ...result, token: { ...result.token, ...change } };
    },
  };
}

expectTokenFaultsNoticed(tokenCreation, {
  'returns a created token without its hash, with times of the storage clock': {
    'returns another createdAtMs': faultyTokens((tokens) =>
      faultyCreation(tokens, { createdAtMs: 1 }),
    ),
    'returns the hash': faultyTokens((tokens) => faultyCreation(tokens, { tokenHash: 'hash' })),
    'lists another prefix': faultyResults('personalAccessTokens', 'list', (listed) =>
      listed.map((record) => ({ ...record, prefix: '' })),
    ),
    'returns no sequence': faultyTokens((tokens) =>
      faultyCreation(tokens, { sequence: Number.NaN }),
    ),
  },
  'returns null and empty fields unchanged, even after a JSON round trip': {
    'stores null as 0': faultyRequests('personalAccessTokens', 'create', ({ accountId }) => ({
      accountId: accountId ?? 0,
    })),
    'returns an undefined field': faultyTokens((tokens) =>
      faultyCreation(tokens, { note: undefined }),
    ),
  },
  'returns the account id unchanged, as an integer or a text': {
    'stores the account id as a text': faultyRequests(
      'personalAccessTokens',
      'create',
      ({ accountId }) => ({ accountId: String(accountId) }),
    ),
    'folds letter case': faultyTokens((tokens) => ({
      create: (token, limits) => {
        const { accountId } = token;
        const folded = typeof accountId === 'string' ? accountId.toLowerCase() : accountId;
        return tokens.create({ ...token, accountId: folded }, limits);
      },
    })),
  },
  'shows a new token on every connection': {
    'keeps separate data for each connection': unshared,
  },
  'stores nothing of a token beyond maxPerUser': {
    'ignores maxPerUser': faultyTokens((tokens) => ({
      create: (token) => tokens.create(token, NO_LIMIT),
    })),
    'stores a rejected token': faultyTokens((tokens) => ({
      create: async (token, { maxPerUser }) => {
        const { length } = await tokens.list(token.userId, WHOLE_LIST);
        const result = await tokens.create(token, NO_LIMIT);
        return length < maxPerUser ? result : { outcome: 'limit_reached' };
      },
    })),
    'rejects a token again that it rejected before': faultyTokens((tokens) => {
      const rejected = new Set<string>();
      return {
        create: async (token, limits) => {
          if (rejected.has(token.tokenHash)) return { outcome: 'limit_reached' };
          const result = await tokens.create(token, limits);
          if (result.outcome === 'limit_reached') rejected.add(token.tokenHash);
          return result;
        },
      };
    }),
  },
  'frees capacity within maxPerUser when a token is revoked': {
    'counts ended tokens': countsAllEverCreated,
  },
  'frees capacity within maxPerUser when a token expires': {
    'counts ended tokens': countsAllEverCreated,
    'ignores a token 1 ms before its expiry': faultyTokens((tokens, { clock }) => ({
      create: async (token, { maxPerUser }) => {
        const listed = await tokens.list(token.userId, WHOLE_LIST);
        const live = listed.filter(({ expiresAtMs }) => expiresAtMs > clock.nowMs() + 1);
        return live.length < maxPerUser
          ? tokens.create(token, NO_LIMIT)
          : { outcome: 'limit_reached' };
      },
    })),
  },
  'counts the tokens of each user separately': {
    'counts all users together': countsAllEverCreated,
  },
  'keeps similar user ids apart': textFaults(changeUserIds),
});
