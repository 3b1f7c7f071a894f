import type { SessionStore } from '@latchhook/core/storage';
import { MINUTE_MS, presenting } from '../../samples/login-samples.ts';
import { Outage } from '../../self-test/expect-faults-noticed.ts';
import { expectLoginFaultsNoticed } from '../../self-test/expect-login-faults-noticed.ts';
import { challengesThat, sessionsThat } from '../../self-test/faulty-storage.ts';
import { sessionRevocation } from './session-revocation.ts';

/** Not atomic: sessions that begin meanwhile stay, and so do challenges. */
function endsOneByOne({
  sessions,
}: {
  readonly sessions: SessionStore;
}): Pick<SessionStore, 'revokeOthers'> {
  return {
    revokeOthers: async ({ userId, sessionId }) => {
      for (const record of await sessions.list(userId)) {
        if (record.sessionId !== sessionId) await sessions.revoke(record);
      }
    },
  };
}

expectLoginFaultsNoticed(sessionRevocation, {
  'ends one session, and with it the grace of its predecessor': {
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
  'answers false if nothing is left to end': {
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
  'of all supersedes the logins that are pending, until the millisecond is over': {
    'looks at the user as a login ends': sessionsThat(({ sessions }) => ({
      create: (session, limits) => sessions.create({ ...session, authenticationMs: -1 }, limits),
    })),
    'lets in what began in that millisecond': sessionsThat(({ sessions }) => ({
      create: (session, limits) =>
        sessions.create({ ...session, authenticationMs: session.authenticationMs - 1 }, limits),
    })),
    'turns away what began a millisecond later': sessionsThat(({ sessions }) => ({
      create: (session, limits) =>
        sessions.create({ ...session, authenticationMs: session.authenticationMs + 1 }, limits),
    })),
    'rejects by the answer alone': sessionsThat(({ sessions }) => ({
      create: async (session, limits) => {
        const answer = await sessions.create(session, limits);
        await sessions.create({ ...session, authenticationMs: -1 }, limits);
        return answer;
      },
    })),
    'knows nothing of users without sessions': sessionsThat(({ sessions }) => ({
      revokeAll: async (userId) => {
        if ((await sessions.list(userId)).length > 0) await sessions.revokeAll(userId);
      },
    })),
  },
  'of all also supersedes logins that would end in a challenge': {
    'looks at the user as a login ends': challengesThat(({ challenges }) => ({
      create: (challenge) => challenges.create({ ...challenge, authenticationMs: -1 }),
    })),
    'lets in what began in that millisecond': challengesThat(({ challenges }) => ({
      create: (challenge) =>
        challenges.create({ ...challenge, authenticationMs: challenge.authenticationMs - 1 }),
    })),
    'turns away what began a millisecond later': challengesThat(({ challenges }) => ({
      create: (challenge) =>
        challenges.create({ ...challenge, authenticationMs: challenge.authenticationMs + 1 }),
    })),
    'rejects by the answer alone': challengesThat(({ challenges }) => ({
      create: async (challenge) => {
        const answer = await challenges.create(challenge);
        await challenges.create({ ...challenge, authenticationMs: -1 });
        return answer;
      },
    })),
  },
  'of all is remembered for an hour, even if the user has logged in since': {
    'remembers the last few users': sessionsThat(({ sessions }) => {
      const users = new Set<string>();
      return {
        create: (session, limits) => {
          users.add(session.userId);
          const isForgotten = users.size > 10;
          const authenticationMs = isForgotten ? 0 : session.authenticationMs;
          return sessions.create({ ...session, authenticationMs }, limits);
        },
      };
    }),
    'remembers for a minute': sessionsThat(({ sessions }) => ({
      create: (session, limits) => {
        const authenticationMs = Math.min(session.authenticationMs, 60_000);
        return sessions.create({ ...session, authenticationMs }, limits);
      },
    })),
  },
  'of all leaves logins alone that begin a millisecond later': {
    'ends what begins within a second': sessionsThat(({ sessions, clock }) => {
      let revokedAtMs = Number.NEGATIVE_INFINITY;
      return {
        revokeAll: async () => {
          revokedAtMs = clock.nowMs();
        },
        rotate: async (request) => {
          const [record] = await sessions.list(request.userId);
          const isOld = record !== undefined && record.createdAtMs <= revokedAtMs + 1000;
          return isOld ? { outcome: 'revoked' } : sessions.rotate(request);
        },
      };
    }),
  },
  'of all others ends them, and leaves the kept one unchanged': {
    'ends it too': sessionsThat(({ sessions }) => ({
      revokeOthers: ({ userId }) => sessions.revokeAll(userId),
    })),
    'takes them off the list only': sessionsThat(({ sessions }) => {
      const kept = new Map<string, string>();
      return {
        revokeOthers: async ({ userId, sessionId }) => void kept.set(userId, sessionId),
        list: async (userId) => {
          const listed = await sessions.list(userId);
          const only = kept.get(userId);
          return listed.filter(({ sessionId }) => only === undefined || sessionId === only);
        },
      };
    }),
  },
  'of all others does not move the end of the one that is kept': {
    'restarts its idle time': sessionsThat(({ sessions }) => ({
      revokeOthers: async (ref) => {
        const [record] = await sessions.list(ref.userId);
        await sessions.revokeOthers(ref);
        const generation = record?.generation ?? 1;
        await sessions.rotate(presenting(generation, ref, { idleMs: MINUTE_MS }));
      },
    })),
  },
  'of all others ends every pending challenge of the user': {
    'ends one session after the other': sessionsThat(endsOneByOne),
  },
  'of all others supersedes the logins that are pending': {
    'ends one session after the other': sessionsThat(endsOneByOne),
  },
  'of all others revives no session, and ends all if the kept one is not live': {
    'looks for it first': sessionsThat(({ sessions }) => ({
      revokeOthers: async (ref) => {
        if (await sessions.isLive(ref)) await sessions.revokeOthers(ref);
      },
    })),
  },
  'of all others can be repeated': {
    'spares it once': sessionsThat(({ sessions }) => {
      const before = new Set<string>();
      return {
        revokeOthers: async (ref) => {
          if (before.has(ref.sessionId)) await sessions.revokeAll(ref.userId);
          else await sessions.revokeOthers(ref);
          before.add(ref.sessionId);
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
