import type { NewPersonalAccessToken } from '@latchhook/core/storage';
import { expectTokenFaultsNoticed } from '../../self-test/expect-token-faults-noticed.ts';
import { tokensThat } from '../../self-test/faulty-personal-access-tokens.ts';
import { tokenResends } from './token-resends.ts';

/** Takes a token for a new one once it is not live any more, and `isForgotten` says so. */
function forgetting(isForgotten: (token: NewPersonalAccessToken, ageMs: number) => boolean) {
  return tokensThat((tokens, clock) => {
    const lives = new Map<string, { readonly atMs: number; readonly nth: number }>();
    const named = (tokenHash: string) => `${tokenHash} ${lives.get(tokenHash)?.nth ?? 0}`;
    return {
      create: async (token, limits) => {
        const { tokenHash } = token;
        const { atMs, nth } = lives.get(tokenHash) ?? { atMs: clock.nowMs(), nth: 0 };
        const isLive = (await tokens.use(named(tokenHash), { touchEveryMs: 0 })) !== null;
        const isNew = !isLive && isForgotten(token, clock.nowMs() - atMs);
        lives.set(tokenHash, { atMs, nth: isNew ? nth + 1 : nth });
        return tokens.create({ ...token, tokenHash: named(tokenHash) }, limits);
      },
      use: (tokenHash, options) => tokens.use(named(tokenHash), options),
      revokeByHash: (tokenHash) => tokens.revokeByHash(named(tokenHash)),
    };
  });
}

expectTokenFaultsNoticed(tokenResends, {
  'returns the existing token if create() is repeated, and counts it once': {
    'rejects an existing token': tokensThat((tokens) => {
      let created = 0;
      return {
        create: async (token, limits) => {
          created += 1;
          if (created > limits.maxPerUser) return { outcome: 'limit_reached' };
          return tokens.create(token, limits);
        },
      };
    }),
    'overwrites the existing token': tokensThat((tokens) => {
      let nth = 0;
      return {
        create: async (token, limits) => {
          await tokens.revokeByHash(token.tokenHash);
          nth += 1;
          return tokens.create({ ...token, tokenHash: `${token.tokenHash} ${nth}` }, limits);
        },
        use: (tokenHash, options) => tokens.use(`${tokenHash} ${nth}`, options),
      };
    }),
  },
  'does not revive a revoked token if create() is repeated': {
    'forgets revoked tokens at once': forgetting(() => true),
  },
  'does not revive a revoked token if create() is repeated after its expiry': {
    'forgets revoked tokens when they expire': forgetting(({ ttlMs }, ageMs) => ageMs >= ttlMs),
    'forgets revoked tokens a second too early': forgetting((_, ageMs) => ageMs >= 59_000),
  },
  'does not revive a revoked token if create() is repeated after the clock was set back': {
    'forgets a token if the clock is before its creation': forgetting((_, ageMs) => ageMs < 0),
  },
  'revokes nothing more if a revocation is repeated': {
    'revokes the next token': tokensThat((tokens) => ({
      revoke: async (ref) => {
        if (await tokens.revoke(ref)) return true;
        const [next] = await tokens.list(ref.userId, { limit: 1, after: null });
        return next !== undefined && tokens.revoke(next);
      },
    })),
    'returns true again': tokensThat((tokens) => ({
      revoke: async (ref) => (await tokens.revoke(ref)) || true,
    })),
    'counts revoked tokens again': tokensThat((tokens) => {
      let ended = 0;
      return {
        revokeAll: async (userId) => {
          ended += await tokens.revokeAll(userId);
          return ended;
        },
      };
    }),
  },
  'records a use once if use() is repeated': {
    'records every use': tokensThat((tokens) => ({
      use: (tokenHash) => tokens.use(tokenHash, { touchEveryMs: 0 }),
    })),
  },
});
