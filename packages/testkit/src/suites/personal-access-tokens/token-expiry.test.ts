import { expectTokenFaultsNoticed } from '../../self-test/expect-token-faults-noticed.ts';
import { tokensThat } from '../../self-test/faulty-personal-access-tokens.ts';
import { tokenExpiry } from './token-expiry.ts';

function livingFor(change: (ttlMs: number) => number) {
  return tokensThat((tokens) => ({
    create: (token, limits) => tokens.create({ ...token, ttlMs: change(token.ttlMs) }, limits),
  }));
}

const livesForEver = livingFor(() => Number.MAX_SAFE_INTEGER / 2);

expectTokenFaultsNoticed(tokenExpiry, {
  'is used and listed until expiresAtMs, exclusive': {
    'lives for ever': livesForEver,
    'is late by one': livingFor((ttlMs) => ttlMs + 1),
    'is early by one': livingFor((ttlMs) => ttlMs - 1),
  },
  'is not postponed by use': {
    'restarts its time at each use': tokensThat((tokens) => {
      const ttls = new Map<string, number>();
      return {
        create: (token, limits) => {
          ttls.set(token.tokenHash, token.ttlMs);
          return tokens.create({ ...token, ttlMs: Number.MAX_SAFE_INTEGER / 2 }, limits);
        },
        use: async (tokenHash, options) => {
          const record = await tokens.use(tokenHash, options);
          const ttlMs = ttls.get(tokenHash) ?? 0;
          return record && { ...record, expiresAtMs: (record.lastUsedAtMs ?? 0) + ttlMs };
        },
      };
    }),
    'lives for ever': livesForEver,
  },
  'applies to each token separately': {
    'ends all of a user with the first': tokensThat((tokens, clock) => {
      let endsAtMs = Number.POSITIVE_INFINITY;
      return {
        create: (token, limits) => {
          endsAtMs = Math.min(endsAtMs, clock.nowMs() + token.ttlMs);
          return tokens.create(token, limits);
        },
        list: async (userId, page) => (clock.nowMs() < endsAtMs ? tokens.list(userId, page) : []),
      };
    }),
    'ends none before the last': livesForEver,
  },
  'leaves nothing to revoke': {
    'lives for ever': livesForEver,
    'says of what has expired that it was revoked': tokensThat(() => ({
      revoke: async () => true,
    })),
  },
});
