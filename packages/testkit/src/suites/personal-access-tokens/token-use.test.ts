import type { PersonalAccessTokenRecord } from '@latchhook/core/storage';
import { GRACE } from '../../samples/login-samples.ts';
import { expectTokenFaultsNoticed } from '../../self-test/expect-token-faults-noticed.ts';
import { tokensThat } from '../../self-test/faulty-personal-access-tokens.ts';
import { tokenUse } from './token-use.ts';

/** Notes uses by another rule. */
function touchingEvery(change: (touchEveryMs: number) => number) {
  return tokensThat((tokens) => ({
    use: (tokenHash, { touchEveryMs }) =>
      tokens.use(tokenHash, { touchEveryMs: change(touchEveryMs) }),
  }));
}

/** Answers uses that it does not store. */
const answersAUseOnly = tokensThat((tokens, clock) => ({
  use: async (tokenHash) => {
    const record = await tokens.use(tokenHash, { touchEveryMs: Number.MAX_SAFE_INTEGER });
    return record && { ...record, lastUsedAtMs: clock.nowMs() };
  },
  list: async (userId, page) => {
    const listed = await tokens.list(userId, page);
    return listed.map((record) => ({ ...record, lastUsedAtMs: null }));
  },
}));

const touchesOnce = touchingEvery(() => Number.MAX_SAFE_INTEGER);

expectTokenFaultsNoticed(tokenUse, {
  'finds a token by its hash, and no other': {
    'finds the first there is': tokensThat((tokens) => {
      let first: string | undefined;
      return {
        create: (token, limits) => {
          first ??= token.tokenHash;
          return tokens.create(token, limits);
        },
        use: (_tokenHash, options) => tokens.use(first ?? '', options),
      };
    }),
    'finds none of some users': tokensThat((tokens) => ({
      use: async (tokenHash, options) => {
        const record = await tokens.use(tokenHash, options);
        return record?.userId === GRACE ? null : record;
      },
    })),
  },
  'finds nothing by anything but the hash of a token': {
    'looks for a part of it': tokensThat((tokens) => {
      const hashes: string[] = [];
      return {
        create: (token, limits) => {
          hashes.push(token.tokenHash);
          return tokens.create(token, limits);
        },
        use: (tokenHash, options) =>
          tokens.use(hashes.find((hash) => hash.includes(tokenHash)) ?? tokenHash, options),
      };
    }),
    'forgives spaces': tokensThat((tokens) => ({
      use: (tokenHash, options) => tokens.use(tokenHash.trim(), options),
    })),
    'finds by id as well': tokensThat((tokens) => {
      const hashes = new Map<string, string>();
      return {
        create: (token, limits) => {
          hashes.set(token.tokenId, token.tokenHash);
          return tokens.create(token, limits);
        },
        use: (tokenHash, options) => tokens.use(hashes.get(tokenHash) ?? tokenHash, options),
      };
    }),
  },
  'notes the first use': {
    'keeps no account of it': answersAUseOnly,
    'answers the token as it was before': tokensThat((tokens) => {
      let before: PersonalAccessTokenRecord | undefined;
      return {
        use: async (tokenHash, options) => {
          const record = await tokens.use(tokenHash, options);
          const answer = record && { ...record, lastUsedAtMs: before?.lastUsedAtMs ?? null };
          before = record ?? undefined;
          return answer;
        },
      };
    }),
  },
  'notes the next use when touchEveryMs have passed, to the millisecond': {
    'is late by one': touchingEvery((touchEveryMs) => touchEveryMs + 1),
    'is early by one': touchingEvery((touchEveryMs) => touchEveryMs - 1),
    'notes every use': touchingEvery(() => 0),
    'notes the first only': touchesOnce,
  },
  'counts from the last use that was noted, not from the last use': {
    'restarts at each use': tokensThat((tokens, clock) => {
      let lastMs = Number.NEGATIVE_INFINITY;
      return {
        use: (tokenHash, { touchEveryMs }) => {
          const idleMs = clock.nowMs() - lastMs;
          lastMs = clock.nowMs();
          const isDue = idleMs >= touchEveryMs;
          return tokens.use(tokenHash, { touchEveryMs: isDue ? 0 : Number.MAX_SAFE_INTEGER });
        },
      };
    }),
  },
  'notes every use if touchEveryMs is 0': {
    'takes 0 for a default': touchingEvery((touchEveryMs) => touchEveryMs || 60_000),
  },
  'notes the use of that token only': {
    'notes it of the user': tokensThat((tokens, clock) => ({
      list: async (userId, page) => {
        const listed = await tokens.list(userId, page);
        return listed.map((record) => ({ ...record, lastUsedAtMs: clock.nowMs() }));
      },
    })),
  },
});
