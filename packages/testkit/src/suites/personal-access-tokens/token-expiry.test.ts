import { expectTokenFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import { faultyRequests, faultyTokens } from '../../self-test/faulty-storage.ts';
import { tokenExpiry } from './token-expiry.ts';

function faultyTtls(change: (ttlMs: number) => number) {
  return faultyRequests('personalAccessTokens', 'create', ({ ttlMs }) => ({
    ttlMs: change(ttlMs),
  }));
}

const neverExpires = faultyTtls(() => Number.MAX_SAFE_INTEGER / 2);

expectTokenFaultsNoticed(tokenExpiry, {
  'accepts, lists and revokes a token only before expiresAtMs': {
    'never expires a token': neverExpires,
    'expires a token 1 ms late': faultyTtls((ttlMs) => ttlMs + 1),
    'expires a token 1 ms early': faultyTtls((ttlMs) => ttlMs - 1),
    'returns true from revoke() for an expired token': faultyTokens(() => ({
      revoke: async () => true,
    })),
  },
  'does not extend expiresAtMs on use': {
    'restarts ttlMs on each use': faultyTokens((tokens) => {
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
    'never expires a token': neverExpires,
  },
  'expires each token at its own time': {
    'expires all tokens of a user with the first': faultyTokens((tokens, { clock }) => {
      let endsAtMs = Number.POSITIVE_INFINITY;
      return {
        create: (token, limits) => {
          endsAtMs = Math.min(endsAtMs, clock.nowMs() + token.ttlMs);
          return tokens.create(token, limits);
        },
        list: async (userId, page) => (clock.nowMs() < endsAtMs ? tokens.list(userId, page) : []),
      };
    }),
    'never expires a token': neverExpires,
    'revokes an expired token by its hash': faultyTokens((tokens) => {
      const records = new Map<string, Awaited<ReturnType<typeof tokens.revokeByHash>>>();
      return {
        create: async (token, limits) => {
          const result = await tokens.create(token, limits);
          if (result.outcome === 'created') records.set(token.tokenHash, result.token);
          return result;
        },
        revokeByHash: async (tokenHash) => records.get(tokenHash) ?? null,
      };
    }),
    'returns true from revoke() for an expired token': faultyTokens(() => ({
      revoke: async () => true,
    })),
  },
});
