import { noticeBrokenStores, Outage } from '../self-test/notice-broken-stores.ts';
import { sessionsThat } from '../self-test/storage-that.ts';
import { sessionRevocation } from './session-revocation.ts';

noticeBrokenStores(sessionRevocation, {
  'ends one session, the grace of its predecessor with it': {
    'takes it off the list only': sessionsThat(({ sessions }) => {
      const hidden = new Set<string>();
      return {
        revoke: async ({ sessionId }) => {
          hidden.add(sessionId);
          return true;
        },
        list: async (userId) => {
          const listed = await sessions.list(userId);
          return listed.filter(({ sessionId }) => !hidden.has(sessionId));
        },
      };
    }),
    'says that it did not': sessionsThat(({ sessions }) => ({
      revoke: async (ref) => {
        await sessions.revoke(ref);
        return false;
      },
    })),
  },
  'says false where there is nothing left to end': {
    'says true whenever it has tried': sessionsThat(({ sessions }) => ({
      revoke: async (ref) => {
        await sessions.revoke(ref);
        return true;
      },
    })),
  },
  'leaves the other sessions of the user alone': {
    'ends them all': sessionsThat(({ sessions }) => ({
      revoke: async (ref) => {
        const wasLive = await sessions.isLive(ref);
        await sessions.revokeAll(ref.userId);
        return wasLive;
      },
    })),
  },
  'of all ends every session of the user': {
    'ends those of one page': sessionsThat(({ sessions }) => ({
      revokeAll: async (userId) => {
        const page = (await sessions.list(userId)).slice(0, 2);
        for (const record of page) await sessions.revoke(record);
      },
    })),
  },
  'of all ends every pending challenge of the user': {
    'forgets the challenges': sessionsThat(({ sessions }) => ({
      revokeAll: async (userId) => {
        for (const record of await sessions.list(userId)) await sessions.revoke(record);
      },
    })),
  },
  'of all does not touch what begins later, within the same millisecond': {
    'compares times rather than epochs': sessionsThat(({ sessions, clock }) => {
      let revokedAtMs = Number.NEGATIVE_INFINITY;
      return {
        revokeAll: async () => {
          revokedAtMs = clock.nowMs();
        },
        rotate: async (request) => {
          const [record] = await sessions.list(request.userId);
          const isOld = record !== undefined && record.createdAtMs <= revokedAtMs;
          return isOld ? { outcome: 'revoked' } : sessions.rotate(request);
        },
      };
    }),
  },
  'of all leaves other users alone': {
    'means all users': sessionsThat(({ sessions }) => {
      const users = new Set<string>();
      return {
        create: (session, limits) => {
          users.add(session.userId);
          return sessions.create(session, limits);
        },
        revokeAll: async () => {
          for (const userId of users) await sessions.revokeAll(userId);
        },
      };
    }),
    'throws for users that it has never heard of': sessionsThat(({ sessions }) => ({
      revokeAll: async (userId) => {
        if ((await sessions.list(userId)).length === 0) throw new Outage();
        await sessions.revokeAll(userId);
      },
    })),
  },
});
