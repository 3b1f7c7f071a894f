import { LONGEST_PENDING_MS, type NewPersonalAccessToken } from '@latchhook/core/storage';
import { SECOND_MS } from '../../samples/webhook-samples.ts';
import { expectTokenFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import { faultyResults, faultyTokens } from '../../self-test/faulty-storage.ts';
import { tokenRepeats } from './token-repeats.ts';

/** Creates an ended token again if `isForgotten` returns true. */
function forgetTokens(isForgotten: (token: NewPersonalAccessToken, ageMs: number) => boolean) {
  return faultyTokens((tokens, { clock }) => {
    const creations = new Map<string, { readonly atMs: number; readonly count: number }>();
    const storedHash = (tokenHash: string) =>
      `${tokenHash} ${creations.get(tokenHash)?.count ?? 0}`;
    return {
      create: async (token, limits) => {
        const { tokenHash } = token;
        const { atMs, count } = creations.get(tokenHash) ?? { atMs: clock.nowMs(), count: 0 };
        const isLive = (await tokens.use(storedHash(tokenHash), { touchEveryMs: 0 })) !== null;
        const isNew = !isLive && isForgotten(token, clock.nowMs() - atMs);
        creations.set(tokenHash, { atMs, count: isNew ? count + 1 : count });
        return tokens.create({ ...token, tokenHash: storedHash(tokenHash) }, limits);
      },
      use: (tokenHash, options) => tokens.use(storedHash(tokenHash), options),
      revokeByHash: (tokenHash) => tokens.revokeByHash(storedHash(tokenHash)),
    };
  });
}

expectTokenFaultsNoticed(tokenRepeats, {
  'returns the existing token if create() is repeated, without counting it again': {
    'rejects an existing token': faultyTokens((tokens) => {
      let created = 0;
      return {
        create: async (token, limits) => {
          created += 1;
          if (created > limits.maxPerUser) return { outcome: 'limit_reached' };
          return tokens.create(token, limits);
        },
      };
    }),
    'overwrites the existing token': faultyTokens((tokens) => {
      let creations = 0;
      return {
        create: async (token, limits) => {
          await tokens.revokeByHash(token.tokenHash);
          creations += 1;
          return tokens.create({ ...token, tokenHash: `${token.tokenHash} ${creations}` }, limits);
        },
        use: (tokenHash, options) => tokens.use(`${tokenHash} ${creations}`, options),
      };
    }),
  },
  'does not revive a revoked token if create() is repeated': {
    'forgets revoked tokens immediately': forgetTokens(() => true),
  },
  'does not revive a revoked token if create() is repeated after the token expired': {
    'forgets revoked tokens when they expire': forgetTokens(({ ttlMs }, ageMs) => ageMs >= ttlMs),
    'forgets revoked tokens a second too early': forgetTokens(
      (_, ageMs) => ageMs >= LONGEST_PENDING_MS - SECOND_MS,
    ),
  },
  'does not revive a revoked token if create() is repeated after the clock was set back': {
    'forgets a token if the clock is before its creation': forgetTokens((_, ageMs) => ageMs < 0),
  },
  'revokes nothing more if a revocation is repeated': {
    'revokes the next token': faultyTokens((tokens) => ({
      revoke: async (ref) => {
        if (await tokens.revoke(ref)) return true;
        const [next] = await tokens.list(ref.userId, { limit: 1, after: null });
        return next !== undefined && tokens.revoke(next);
      },
    })),
    'returns true again': faultyResults('personalAccessTokens', 'revoke', () => true),
    'counts revoked tokens again': faultyTokens((tokens) => {
      let revoked = 0;
      return {
        revokeAll: async (userId) => {
          revoked += await tokens.revokeAll(userId);
          return revoked;
        },
      };
    }),
  },
  'records a use once if use() is repeated': {
    'records every use': faultyTokens((tokens) => ({
      use: (tokenHash) => tokens.use(tokenHash, { touchEveryMs: 0 }),
    })),
  },
});
