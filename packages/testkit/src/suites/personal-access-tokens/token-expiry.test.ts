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
  'accepts and lists a token before expiresAtMs, and not from then on': {
    'never expires a token': livesForEver,
    'expires a token 1 ms late': livingFor((ttlMs) => ttlMs + 1),
    'expires a token 1 ms early': livingFor((ttlMs) => ttlMs - 1),
  },
  'does not extend expiresAtMs on use': {
    'restarts ttlMs on each use': tokensThat((tokens) => {
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
    'never expires a token': livesForEver,
  },
  'expires each token at its own time': {
    'expires all tokens of a user with the first': tokensThat((tokens, clock) => {
      let endsAtMs = Number.POSITIVE_INFINITY;
      return {
        create: (token, limits) => {
          endsAtMs = Math.min(endsAtMs, clock.nowMs() + token.ttlMs);
          return tokens.create(token, limits);
        },
        list: async (userId, page) => (clock.nowMs() < endsAtMs ? tokens.list(userId, page) : []),
      };
    }),
    'never expires a token': livesForEver,
  },
  'returns false, null or 0 to revocations of an expired token': {
    'never expires a token': livesForEver,
    'returns true for an expired token': tokensThat(() => ({
      revoke: async () => true,
    })),
  },
});
