import { setImmediate as nextTurn } from 'node:timers/promises';
import { WHOLE_LIST } from '../../samples/personal-access-token-samples.ts';
import { expectTokenFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import { faultyTokens } from '../../self-test/faulty-storage.ts';
import { nonAtomic } from '../../self-test/reference.ts';
import { tokenRaces } from './token-races.ts';

const readsThenWrites = { 'reads and writes non-atomically': nonAtomic };

/** Starts the revocation, and returns before it is done. */
function returnTooEarly(method: 'revoke' | 'revokeByHash' | 'revokeAll') {
  return {
    'returns before the token is revoked': faultyTokens((tokens) => ({
      ...(method === 'revoke' && {
        revoke: async (ref) => {
          void nextTurn().then(() => tokens.revoke(ref));
          return true;
        },
      }),
      ...(method === 'revokeByHash' && {
        revokeByHash: async (tokenHash) => {
          void nextTurn().then(() => tokens.revokeByHash(tokenHash));
          return null;
        },
      }),
      ...(method === 'revokeAll' && {
        revokeAll: async (userId) => {
          void nextTurn().then(() => tokens.revokeAll(userId));
          return 1;
        },
      }),
    })),
  };
}

expectTokenFaultsNoticed(tokenRaces, {
  'creates no more than maxPerUser tokens under 50 parallel calls': {
    ...readsThenWrites,
    'counts tokens before a separate insert': faultyTokens((tokens) => ({
      create: async (token, { maxPerUser }) => {
        const { length } = await tokens.list(token.userId, WHOLE_LIST);
        await nextTurn();
        if (length >= maxPerUser) return { outcome: 'limit_reached' };
        return tokens.create(token, { maxPerUser: 1000 });
      },
    })),
  },
  'creates one token under 50 parallel calls with the same token': {
    'checks the hash before a separate insert': faultyTokens((tokens) => {
      const rows: string[] = [];
      return {
        create: async (token, limits) => {
          const isKnown = rows.includes(token.tokenId);
          await nextTurn();
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
  'gives tokens created in parallel distinct, ordered sequences': readsThenWrites,
  'accepts no use once revoke() has returned': { ...readsThenWrites, ...returnTooEarly('revoke') },
  'accepts no use once revokeByHash() has returned': {
    ...readsThenWrites,
    ...returnTooEarly('revokeByHash'),
  },
  'accepts no use once revokeAll() has returned': {
    ...readsThenWrites,
    ...returnTooEarly('revokeAll'),
  },
  'revokes a token once under 60 parallel calls of all three revocations': readsThenWrites,
  'counts every token that revokeAll() revokes while tokens are created in parallel':
    readsThenWrites,
});
