import type { PersonalAccessTokenRecord } from '@latchhook/core/storage';
import { GRACE } from '../../samples/login-samples.ts';
import { expectTokenFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import { faultyResults, faultyTokens } from '../../self-test/faulty-storage.ts';
import { tokenUse } from './token-use.ts';

/** Records uses with a changed `touchEveryMs`. */
function faultyTouchEveryMs(change: (touchEveryMs: number) => number) {
  return faultyTokens((tokens) => ({
    use: (tokenHash, { touchEveryMs }) =>
      tokens.use(tokenHash, { touchEveryMs: change(touchEveryMs) }),
  }));
}

/** Returns a use that it does not store. */
const storesNoUse = faultyTokens((tokens, { clock }) => ({
  use: async (tokenHash) => {
    const record = await tokens.use(tokenHash, { touchEveryMs: Number.MAX_SAFE_INTEGER });
    return record && { ...record, lastUsedAtMs: clock.nowMs() };
  },
  list: async (userId, page) => {
    const listed = await tokens.list(userId, page);
    return listed.map((record) => ({ ...record, lastUsedAtMs: null }));
  },
}));

const recordsFirstUseOnly = faultyTouchEveryMs(() => Number.MAX_SAFE_INTEGER);

expectTokenFaultsNoticed(tokenUse, {
  'finds only the token with the given hash': {
    'finds the first token for any hash': faultyTokens((tokens) => {
      let first: string | undefined;
      return {
        create: (token, limits) => {
          first ??= token.tokenHash;
          return tokens.create(token, limits);
        },
        use: (_tokenHash, options) => tokens.use(first ?? '', options),
      };
    }),
    'finds no tokens of some users': faultyResults('personalAccessTokens', 'use', (record) =>
      record?.userId === GRACE ? null : record,
    ),
  },
  'finds a token by its complete hash only': {
    'accepts a part of a hash': faultyTokens((tokens) => {
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
    'trims spaces': faultyTokens((tokens) => ({
      use: (tokenHash, options) => tokens.use(tokenHash.trim(), options),
    })),
    'finds tokens by id too': faultyTokens((tokens) => {
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
  'records the first use, only for the token that was used': {
    'does not store the use': storesNoUse,
    'returns the token from before the use': faultyTokens((tokens) => {
      let before: PersonalAccessTokenRecord | undefined;
      return {
        use: async (tokenHash, options) => {
          const record = await tokens.use(tokenHash, options);
          const result = record && { ...record, lastUsedAtMs: before?.lastUsedAtMs ?? null };
          before = record ?? undefined;
          return result;
        },
      };
    }),

    'records the use for all tokens of the user': faultyTokens((tokens, { clock }) => ({
      list: async (userId, page) => {
        const listed = await tokens.list(userId, page);
        return listed.map((record) => ({ ...record, lastUsedAtMs: clock.nowMs() }));
      },
    })),
  },
  'records the next use touchEveryMs after the last recorded use': {
    'records the next use 1 ms late': faultyTouchEveryMs((touchEveryMs) => touchEveryMs + 1),
    'records the next use 1 ms early': faultyTouchEveryMs((touchEveryMs) => touchEveryMs - 1),
    'records every use': faultyTouchEveryMs(() => 0),
    'records the first use only': recordsFirstUseOnly,

    'restarts touchEveryMs on each use': faultyTokens((tokens, { clock }) => {
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
  'records every use if touchEveryMs is 0': {
    'treats 0 as a default': faultyTouchEveryMs((touchEveryMs) => touchEveryMs || 60_000),
  },
});
