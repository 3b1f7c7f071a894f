import type { SessionStore } from '@latchhook/core/storage';
import { MINUTE_MS, rotateRequest } from '../../samples/login-samples.ts';
import { Outage } from '../../self-test/expect-faults-noticed.ts';
import { expectLoginFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import {
  faultyChallenges,
  faultyRequests,
  faultyResults,
  faultySessions,
} from '../../self-test/faulty-storage.ts';
import { sessionRevocation } from './session-revocation.ts';

/** Ends the listed sessions only: challenges and sessions created in parallel stay. */
function endOneByOne(sessions: SessionStore): Pick<SessionStore, 'revokeOthers'> {
  return {
    revokeOthers: async ({ userId, sessionId }) => {
      for (const record of await sessions.list(userId)) {
        if (record.sessionId !== sessionId) await sessions.revoke(record);
      }
    },
  };
}

expectLoginFaultsNoticed(sessionRevocation, {
  'ends only the given session on revoke(), and its grace too': {
    'only hides the session from the list': faultySessions((sessions) => {
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
    'returns false': faultyResults('sessions', 'revoke', () => false),

    'always returns true': faultyResults('sessions', 'revoke', () => true),

    'ends all sessions of the user': faultySessions((sessions) => ({
      revoke: async (ref) => {
        const wasLive = await sessions.isLive(ref);
        await sessions.revokeAll(ref.userId);
        return wasLive;
      },
    })),
  },
  'ends every session of the user on revokeAll(), but none of other users': {
    'ends the first two sessions only': faultySessions((sessions) => ({
      revokeAll: async (userId) => {
        const page = (await sessions.list(userId)).slice(0, 2);
        for (const record of page) await sessions.revoke(record);
      },
    })),

    'ends sessions of all users': faultySessions((sessions) => {
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
    'throws for a user without sessions': faultySessions((sessions) => ({
      revokeAll: async (userId) => {
        if ((await sessions.list(userId)).length === 0) throw new Outage();
        await sessions.revokeAll(userId);
      },
    })),
  },
  'ends every pending challenge of the user on revokeAll()': {
    'keeps pending challenges': faultySessions((sessions) => ({
      revokeAll: async (userId) => {
        for (const record of await sessions.list(userId)) await sessions.revoke(record);
      },
    })),
  },
  'returns stale_login for a login that began no later than revokeAll()': {
    'compares the end of a login instead of its beginning': faultyRequests(
      'sessions',
      'create',
      () => ({ loginAgeMs: -1 }),
    ),
    'accepts a login that began in the millisecond of revokeAll()': faultyRequests(
      'sessions',
      'create',
      ({ loginAgeMs }) => ({ loginAgeMs: loginAgeMs - 1 }),
    ),
    'rejects a login that began a millisecond after revokeAll()': faultyRequests(
      'sessions',
      'create',
      ({ loginAgeMs }) => ({ loginAgeMs: loginAgeMs + 1 }),
    ),
    'returns stale_login but stores the login': faultySessions((sessions) => ({
      create: async (session, limits) => {
        const result = await sessions.create(session, limits);
        await sessions.create({ ...session, loginAgeMs: -1 }, limits);
        return result;
      },
    })),
    'ignores revokeAll() of a user without sessions': faultySessions((sessions) => ({
      revokeAll: async (userId) => {
        if ((await sessions.list(userId)).length > 0) await sessions.revokeAll(userId);
      },
    })),

    'compares the end of a login instead of its beginning, for challenges': faultyRequests(
      'challenges',
      'create',
      () => ({ loginAgeMs: -1 }),
    ),
    'accepts a login that began in the millisecond of revokeAll(), for challenges': faultyRequests(
      'challenges',
      'create',
      ({ loginAgeMs }) => ({ loginAgeMs: loginAgeMs - 1 }),
    ),
    'rejects a login that began a millisecond after revokeAll(), for challenges': faultyRequests(
      'challenges',
      'create',
      ({ loginAgeMs }) => ({ loginAgeMs: loginAgeMs + 1 }),
    ),
    'returns stale_login but stores the login, for challenges': faultyChallenges((challenges) => ({
      create: async (challenge) => {
        const result = await challenges.create(challenge);
        await challenges.create({ ...challenge, loginAgeMs: -1 });
        return result;
      },
    })),
  },
  'returns stale_login for an hour after revokeAll(), even after other logins': {
    'remembers revokeAll() of the last ten users only': faultySessions((sessions) => {
      const users = new Set<string>();
      return {
        create: (session, limits) => {
          users.add(session.userId);
          const isForgotten = users.size > 10;
          const loginAgeMs = isForgotten ? 0 : session.loginAgeMs;
          return sessions.create({ ...session, loginAgeMs }, limits);
        },
      };
    }),
    'remembers revokeAll() for a minute only': faultySessions((sessions) => ({
      create: (session, limits) => {
        const loginAgeMs = Math.min(session.loginAgeMs, 60_000);
        return sessions.create({ ...session, loginAgeMs }, limits);
      },
    })),
  },
  'keeps logins that begin a millisecond after revokeAll()': {
    'ends logins that begin within a second': faultySessions((sessions, { clock }) => {
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
  'ends only the other sessions on revokeOthers(), even if it is repeated': {
    'ends the current session too': faultySessions((sessions) => ({
      revokeOthers: ({ userId }) => sessions.revokeAll(userId),
    })),
    'only hides the sessions from the list': faultySessions((sessions) => {
      const keptIds = new Map<string, string>();
      return {
        revokeOthers: async ({ userId, sessionId }) => void keptIds.set(userId, sessionId),
        list: async (userId) => {
          const listed = await sessions.list(userId);
          const keptId = keptIds.get(userId);
          return listed.filter(({ sessionId }) => keptId === undefined || sessionId === keptId);
        },
      };
    }),

    'ends the current session on the second call': faultySessions((sessions) => {
      const keptIds = new Set<string>();
      return {
        revokeOthers: async (ref) => {
          if (keptIds.has(ref.sessionId)) await sessions.revokeAll(ref.userId);
          else await sessions.revokeOthers(ref);
          keptIds.add(ref.sessionId);
        },
      };
    }),
  },
  'does not extend the current session on revokeOthers()': {
    'restarts the idle time of the current session': faultySessions((sessions) => ({
      revokeOthers: async (ref) => {
        const [record] = await sessions.list(ref.userId);
        await sessions.revokeOthers(ref);
        const generation = record?.generation ?? 1;
        await sessions.rotate(rotateRequest(generation, ref, { idleMs: MINUTE_MS }));
      },
    })),
  },
  'ends every pending challenge of the user on revokeOthers()': {
    'ends only the listed sessions': faultySessions(endOneByOne),
  },
  'returns stale_login for a login that began before revokeOthers()': {
    'ends only the listed sessions': faultySessions(endOneByOne),
  },
  'ends all sessions on revokeOthers() if the current session is not live': {
    'does nothing if the session to keep is not live': faultySessions((sessions) => ({
      revokeOthers: async (ref) => {
        if (await sessions.isLive(ref)) await sessions.revokeOthers(ref);
      },
    })),
  },
});
