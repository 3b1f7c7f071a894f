import { expectTokenFaultsNoticed } from '../../self-test/expect-token-faults-noticed.ts';
import { tokensThat } from '../../self-test/faulty-personal-access-tokens.ts';
import { tokenResends } from './token-resends.ts';

expectTokenFaultsNoticed(tokenResends, {
  'a token created again is unchanged, and counts once': {
    'refuses what it has': tokensThat((tokens) => {
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
    'forgets at once what was revoked': tokensThat((tokens) => {
      const lives = new Map<string, number>();
      const named = (tokenHash: string) => `${tokenHash} ${lives.get(tokenHash) ?? 0}`;
      return {
        create: async (token, limits) => {
          const { tokenHash } = token;
          const isLive = await tokens.use(named(tokenHash), { touchEveryMs: 0 });
          if (isLive === null) lives.set(tokenHash, (lives.get(tokenHash) ?? 0) + 1);
          return tokens.create({ ...token, tokenHash: named(tokenHash) }, limits);
        },
        use: (tokenHash, options) => tokens.use(named(tokenHash), options),
        revokeByHash: (tokenHash) => tokens.revokeByHash(named(tokenHash)),
      };
    }),
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
