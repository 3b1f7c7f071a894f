import type { PersonalAccessTokenStore } from '@latchhook/core/storage';
import { WHOLE } from '../../samples/personal-access-token-samples.ts';
import { expectTokenFaultsNoticed } from '../../self-test/expect-token-faults-noticed.ts';
import {
  tokensOfEachConnection,
  tokensThat,
} from '../../self-test/faulty-personal-access-tokens.ts';
import { mangling } from '../../self-test/mangled-texts.ts';
import { tokenCreation } from './token-creation.ts';

const ANY = { maxPerUser: Number.MAX_SAFE_INTEGER } as const;

const countsWhatWasEverCreated = tokensThat((tokens) => {
  let created = 0;
  return {
    create: async (token, { maxPerUser }) => {
      if (created >= maxPerUser) return { outcome: 'limit_reached' };
      created += 1;
      return tokens.create(token, ANY);
    },
  };
});

/** Reads user ids as a store might that builds keys from them. */
function readingUserIdsAs(read: (userId: string) => string) {
  return tokensThat((tokens) => ({
    create: (token, limits) => tokens.create({ ...token, userId: read(token.userId) }, limits),
    list: async (userId, page) => {
      const listed = await tokens.list(read(userId), page);
      return listed.map((record) => ({ ...record, userId }));
    },
  }));
}

function created(
  tokens: PersonalAccessTokenStore,
  change: object,
): Pick<PersonalAccessTokenStore, 'create'> {
  return {
    create: async (token, limits) => {
      const answer = await tokens.create(token, limits);
      if (answer.outcome !== 'created') return answer;
      return { ...answer, token: { ...answer.token, ...change } };
    },
  };
}

expectTokenFaultsNoticed(tokenCreation, {
  'stores a token as given, hides its hash, and takes timestamps from the storage clock': {
    'returns another createdAtMs': tokensThat((tokens) => created(tokens, { createdAtMs: 1 })),
    'returns the hash': tokensThat((tokens) => created(tokens, { tokenHash: 'hash' })),
    'lists another prefix': tokensThat((tokens) => ({
      list: async (userId, page) => {
        const listed = await tokens.list(userId, page);
        return listed.map((record) => ({ ...record, prefix: '' }));
      },
    })),
    'returns no sequence': tokensThat((tokens) => created(tokens, { sequence: Number.NaN })),
  },
  'returns null and empty fields unchanged, in records that survive a JSON round trip': {
    'stores null as 0': tokensThat((tokens) => ({
      create: (token, limits) =>
        tokens.create({ ...token, accountId: token.accountId ?? 0 }, limits),
    })),
    'returns an undefined field': tokensThat((tokens) => created(tokens, { note: undefined })),
  },
  'returns the account id unchanged, as an integer or a text': {
    'stores the account id as a text': tokensThat((tokens) => ({
      create: (token, limits) =>
        tokens.create({ ...token, accountId: String(token.accountId) }, limits),
    })),
    'folds letter case': tokensThat((tokens) => ({
      create: (token, limits) => {
        const { accountId } = token;
        const folded = typeof accountId === 'string' ? accountId.toLowerCase() : accountId;
        return tokens.create({ ...token, accountId: folded }, limits);
      },
    })),
  },
  'shows a new token on every connection': {
    'keeps separate data for each connection': tokensOfEachConnection,
  },
  'creates no more than maxPerUser tokens, and stores nothing of a rejected one': {
    'ignores maxPerUser': tokensThat((tokens) => ({
      create: (token) => tokens.create(token, ANY),
    })),
    'stores a rejected token': tokensThat((tokens) => ({
      create: async (token, { maxPerUser }) => {
        const { length } = await tokens.list(token.userId, WHOLE);
        const answer = await tokens.create(token, ANY);
        return length < maxPerUser ? answer : { outcome: 'limit_reached' };
      },
    })),
    'rejects a token again that was rejected once': tokensThat((tokens) => {
      const rejected = new Set<string>();
      return {
        create: async (token, limits) => {
          if (rejected.has(token.tokenHash)) return { outcome: 'limit_reached' };
          const answer = await tokens.create(token, limits);
          if (answer.outcome === 'limit_reached') rejected.add(token.tokenHash);
          return answer;
        },
      };
    }),
  },
  'frees capacity within maxPerUser when a token is revoked': {
    'counts ended tokens': countsWhatWasEverCreated,
  },
  'frees capacity within maxPerUser when a token expires': {
    'counts ended tokens': countsWhatWasEverCreated,
    'ignores a token 1 ms before its expiry': tokensThat((tokens, clock) => ({
      create: async (token, { maxPerUser }) => {
        const listed = await tokens.list(token.userId, WHOLE);
        const live = listed.filter(({ expiresAtMs }) => expiresAtMs > clock.nowMs() + 1);
        return live.length < maxPerUser ? tokens.create(token, ANY) : { outcome: 'limit_reached' };
      },
    })),
  },
  'counts the tokens of each user separately': {
    'counts all users together': countsWhatWasEverCreated,
  },
  'keeps similar user ids apart': mangling(readingUserIdsAs),
});
