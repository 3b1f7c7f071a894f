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
  'keeps a token as given, except its hash, by the clock of the store': {
    'dates by another clock': tokensThat((tokens) => created(tokens, { createdAtMs: 1 })),
    'shows the hash': tokensThat((tokens) => created(tokens, { tokenHash: 'hash' })),
    'lists something else': tokensThat((tokens) => ({
      list: async (userId, page) => {
        const listed = await tokens.list(userId, page);
        return listed.map((record) => ({ ...record, prefix: '' }));
      },
    })),
    'has no sequence': tokensThat((tokens) => created(tokens, { sequence: Number.NaN })),
  },
  'keeps absent fields absent, and answers what JSON carries unchanged': {
    'takes null for 0': tokensThat((tokens) => ({
      create: (token, limits) =>
        tokens.create({ ...token, accountId: token.accountId ?? 0 }, limits),
    })),
    'answers what JSON loses': tokensThat((tokens) => created(tokens, { note: undefined })),
  },
  'keeps the account as it is, an integer or a text': {
    'keeps a text of it': tokensThat((tokens) => ({
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
  'is seen over every connection': {
    'keeps tokens to the process': tokensOfEachConnection,
  },
  'takes no more than maxPerUser, and keeps nothing of one too many': {
    'knows no cap': tokensThat((tokens) => ({
      create: (token) => tokens.create(token, ANY),
    })),
    'keeps what it rejects': tokensThat((tokens) => ({
      create: async (token, { maxPerUser }) => {
        const { length } = await tokens.list(token.userId, WHOLE);
        const answer = await tokens.create(token, ANY);
        return length < maxPerUser ? answer : { outcome: 'limit_reached' };
      },
    })),
    'remembers whom it rejected': tokensThat((tokens) => {
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
  'has room again once one was revoked': {
    'counts what was ever created': countsWhatWasEverCreated,
  },
  'has room again once one has expired': {
    'counts what was ever created': countsWhatWasEverCreated,
    'makes room a little early': tokensThat((tokens, clock) => ({
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
  'keeps apart users whose ids are awkward': mangling(readingUserIdsAs),
});
