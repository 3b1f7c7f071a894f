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
  'a token created again is unchanged, and counts once': {
    'rejects what it has': tokensThat((tokens) => {
      let created = 0;
      return {
        create: async (token, limits) => {
          created += 1;
          if (created > limits.maxPerUser) return { outcome: 'limit_reached' };
          return tokens.create(token, limits);
        },
      };
    }),
    'writes over what it has': tokensThat((tokens) => {
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
  'a token created again is not revived': {
    'forgets at once what was revoked': forgetting(() => true),
  },
  'a token created again is not revived, though it would have expired since': {
    'forgets what would have expired': forgetting(({ ttlMs }, ageMs) => ageMs >= ttlMs),
    'forgets a moment too early': forgetting((_, ageMs) => ageMs >= 59_000),
  },
  'a token created again is not revived, though the clock was set back since': {
    'takes a time before its own for another': forgetting((_, ageMs) => ageMs < 0),
  },
  'a revocation sent again ends nothing more': {
    'ends the next': tokensThat((tokens) => ({
      revoke: async (ref) => {
        if (await tokens.revoke(ref)) return true;
        const [next] = await tokens.list(ref.userId, { limit: 1, after: null });
        return next !== undefined && tokens.revoke(next);
      },
    })),
    'says again that it did': tokensThat((tokens) => ({
      revoke: async (ref) => (await tokens.revoke(ref)) || true,
    })),
    'counts again': tokensThat((tokens) => {
      let ended = 0;
      return {
        revokeAll: async (userId) => {
          ended += await tokens.revokeAll(userId);
          return ended;
        },
      };
    }),
  },
  'a use sent again is noted once': {
    'notes every use': tokensThat((tokens) => ({
      use: (tokenHash) => tokens.use(tokenHash, { touchEveryMs: 0 }),
    })),
  },
});
