import { setImmediate as turn } from 'node:timers/promises';
import { WHOLE } from '../../samples/personal-access-token-samples.ts';
import { expectTokenFaultsNoticed } from '../../self-test/expect-token-faults-noticed.ts';
import { readThenWriteTokens, tokensThat } from '../../self-test/faulty-personal-access-tokens.ts';
import { tokenRaces } from './token-races.ts';

const readsThenWrites = { 'reads, then writes': readThenWriteTokens };

/** Behaves as a store that starts a job and does not wait for it. */
function answeringTooEarly(method: 'revoke' | 'revokeByHash' | 'revokeAll') {
  return {
    'answers before it is done': tokensThat((tokens) => ({
      ...(method === 'revoke' && {
        revoke: async (ref) => {
          void turn().then(() => tokens.revoke(ref));
          return true;
        },
      }),
      ...(method === 'revokeByHash' && {
        revokeByHash: async (tokenHash) => {
          void turn().then(() => tokens.revokeByHash(tokenHash));
          return null;
        },
      }),
      ...(method === 'revokeAll' && {
        revokeAll: async (userId) => {
          void turn().then(() => tokens.revokeAll(userId));
          return 1;
        },
      }),
    })),
  };
}

expectTokenFaultsNoticed(tokenRaces, {
  'a user gets no more tokens than allowed by asking in parallel': {
    ...readsThenWrites,
    'counts, then inserts': tokensThat((tokens) => ({
      create: async (token, { maxPerUser }) => {
        const { length } = await tokens.list(token.userId, WHOLE);
        await turn();
        if (length >= maxPerUser) return { outcome: 'limit_reached' };
        return tokens.create(token, { maxPerUser: 1000 });
      },
    })),
  },
  'parallel creations of one token make one': {
    'looks for the hash, then inserts': tokensThat((tokens) => {
      const rows: string[] = [];
      return {
        create: async (token, limits) => {
          const isKnown = rows.includes(token.tokenId);
          await turn();
          if (!isKnown) rows.push(token.tokenId);
          return tokens.create(token, limits);
        },
        list: async (userId, page) => {
          const listed = await tokens.list(userId, page);
          return rows.flatMap((id) => listed.filter(({ tokenId }) => tokenId === id));
        },
      };
    }),
  },
  'tokens that are created in parallel have an order': readsThenWrites,
  'no use succeeds after a revocation was answered': {
    ...readsThenWrites,
    ...answeringTooEarly('revoke'),
  },
  'no use succeeds after a revocation by hash was answered': {
    ...readsThenWrites,
    ...answeringTooEarly('revokeByHash'),
  },
  'no use succeeds after a revocation of all was answered': {
    ...readsThenWrites,
    ...answeringTooEarly('revokeAll'),
  },
  'one of many parallel revocations, by id or by hash, ends the token': readsThenWrites,
  'every token that is created while all are revoked is counted, or lives': readsThenWrites,
});
