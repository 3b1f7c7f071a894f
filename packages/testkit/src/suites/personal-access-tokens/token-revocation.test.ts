import type { PersonalAccessTokenStore } from '@latchhook/core/storage';
import { WHOLE } from '../../samples/personal-access-token-samples.ts';
import { expectTokenFaultsNoticed } from '../../self-test/expect-token-faults-noticed.ts';
import { tokensThat } from '../../self-test/faulty-personal-access-tokens.ts';
import { tokenRevocation } from './token-revocation.ts';

/** Finds tokens only by their ids, regardless of who the user is. */
function byIdAlone(tokens: PersonalAccessTokenStore): Partial<PersonalAccessTokenStore> {
  const owners = new Map<string, string>();
  return {
    create: (token, limits) => {
      owners.set(token.tokenId, token.userId);
      return tokens.create(token, limits);
    },
    revoke: ({ userId, tokenId }) =>
      tokens.revoke({ tokenId, userId: owners.get(tokenId) ?? userId }),
  };
}

const revokesNothing = tokensThat(() => ({ revoke: async () => true }));

expectTokenFaultsNoticed(tokenRevocation, {
  'ends the named token, and no other': {
    'revokes nothing': revokesNothing,
    'revokes all': tokensThat((tokens) => ({
      revoke: async ({ userId }) => (await tokens.revokeAll(userId)) > 0,
    })),
    'hides what it should end': tokensThat((tokens) => {
      const hidden = new Set<string>();
      return {
        revoke: async ({ tokenId }) => hidden.size < hidden.add(tokenId).size,
        list: async (userId, page) => {
          const listed = await tokens.list(userId, page);
          return listed.filter(({ tokenId }) => !hidden.has(tokenId));
        },
      };
    }),
  },
  'by hash ends one token, and answers which': {
    'only says so': tokensThat((tokens) => ({
      revokeByHash: (tokenHash) => tokens.use(tokenHash, { touchEveryMs: Number.MAX_SAFE_INTEGER }),
    })),
    'does not say': tokensThat((tokens) => ({
      revokeByHash: async (tokenHash) => {
        await tokens.revokeByHash(tokenHash);
        return null;
      },
    })),
    'ends all of that user': tokensThat((tokens) => ({
      revokeByHash: async (tokenHash) => {
        const record = await tokens.revokeByHash(tokenHash);
        if (record !== null) await tokens.revokeAll(record.userId);
        return record;
      },
    })),
  },
  'of all ends every token of the user, answers how many, and leaves others alone': {
    'ends the newest only': tokensThat((tokens) => ({
      revokeAll: async (userId) => {
        const listed = await tokens.list(userId, WHOLE);
        const newest = listed.at(-1);
        if (newest !== undefined) await tokens.revoke(newest);
        return listed.length;
      },
    })),
    'counts what was revoked before': tokensThat((tokens) => ({
      revokeAll: async (userId) => (await tokens.revokeAll(userId)) + 1,
    })),
    'ends those of everybody': tokensThat((tokens) => {
      const users = new Set<string>();
      return {
        create: (token, limits) => {
          users.add(token.userId);
          return tokens.create(token, limits);
        },
        revokeAll: async (userId) => {
          const ended = await tokens.revokeAll(userId);
          for (const other of users) await tokens.revokeAll(other);
          return ended;
        },
      };
    }),
  },
  'of all leaves tokens alone that are created after it': {
    'bars the user for good': tokensThat((tokens) => {
      const barred = new Set<string>();
      return {
        revokeAll: (userId) => {
          barred.add(userId);
          return tokens.revokeAll(userId);
        },
        list: async (userId, page) => (barred.has(userId) ? [] : tokens.list(userId, page)),
      };
    }),
  },
  'ends no token of another user': {
    'looks tokens up by their ids': tokensThat(byIdAlone),
    'says of a stranger’s that it was ended': revokesNothing,
  },
  'ends nothing if there is no such token': {
    'says that it did': revokesNothing,
    'looks tokens up by their ids': tokensThat(byIdAlone),
    'makes up a record': tokensThat((tokens) => ({
      revokeByHash: async (tokenHash) => {
        const [any] = await tokens.list('user-ada', WHOLE);
        return (await tokens.revokeByHash(tokenHash)) ?? any ?? null;
      },
    })),
    'counts one at least': tokensThat((tokens) => ({
      revokeAll: async (userId) => Math.max(1, await tokens.revokeAll(userId)),
    })),
  },
});
