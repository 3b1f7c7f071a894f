import { DEFAULTS } from '../../samples/login-samples.ts';
import { expectLoginFaultsNoticed } from '../../self-test/expect-login-faults-noticed.ts';
import { sessionsThat } from '../../self-test/faulty-storage.ts';
import { sessionExpiry } from './session-expiry.ts';

const endsLate = sessionsThat(({ sessions }) => ({
  create: (session, limits) =>
    sessions.create({ ...session, absoluteMs: session.absoluteMs + 1 }, limits),
}));

const endsEarly = sessionsThat(({ sessions }) => ({
  create: (session, limits) =>
    sessions.create({ ...session, absoluteMs: session.absoluteMs - 1 }, limits),
}));

expectLoginFaultsNoticed(sessionExpiry, {
  'rotates until the idle time is over, exclusive': {
    'ends it a millisecond early': sessionsThat(({ sessions }) => ({
      rotate: (request) => sessions.rotate({ ...request, idleMs: request.idleMs - 1 }),
    })),
    'ends it a millisecond late': sessionsThat(({ sessions }) => ({
      rotate: (request) => sessions.rotate({ ...request, idleMs: request.idleMs + 1 }),
    })),
  },
  'counts the idle time from the newest rotation': {
    'counts it from the login': sessionsThat(({ sessions, clock }) => ({
      rotate: async (request) => {
        const [record] = await sessions.list(request.userId);
        const sinceLoginMs = clock.nowMs() - (record?.createdAtMs ?? 0);
        return sinceLoginMs >= request.idleMs ? { outcome: 'expired' } : sessions.rotate(request);
      },
    })),
  },
  'ends at expiresAtMs, however busy it is': {
    'ends a millisecond late': endsLate,
    'ends a millisecond early': endsEarly,
    'moves the end with each rotation': sessionsThat(({ sessions, clock }) => ({
      rotate: async (request) => {
        const answer = await sessions.rotate(request);
        if (answer.outcome !== 'rotated') return answer;
        const { session } = answer;
        const lifetimeMs = session.expiresAtMs - session.createdAtMs;
        return { ...answer, session: { ...session, expiresAtMs: clock.nowMs() + lifetimeMs } };
      },
    })),
  },
  'no longer answers a predecessor once the session has ended': {
    'keeps answers for a retry, and asks nothing else': sessionsThat(({ sessions }) => {
      const answers = new Map<number, Awaited<ReturnType<typeof sessions.rotate>>>();
      return {
        rotate: async (request) => {
          const known = answers.get(request.generation);
          if (known !== undefined) return known;
          const answer = await sessions.rotate(request);
          answers.set(request.generation, answer);
          return answer;
        },
      };
    }),
  },
  'lives and is listed until expiresAtMs, exclusive': {
    'ends a millisecond late': endsLate,
    'ends a millisecond early': endsEarly,
    'asks for revocation alone': sessionsThat(({ sessions }) => {
      const revoked = new Set<string>();
      return {
        isLive: async ({ sessionId }) => !revoked.has(sessionId),
        revoke: (ref) => {
          revoked.add(ref.sessionId);
          return sessions.revoke(ref);
        },
      };
    }),
  },
  'lives and is listed until the idle time is over, exclusive': {
    'leaves idle sessions to the next rotation': sessionsThat(({ sessions }) => ({
      create: (session, limits) =>
        sessions.create({ ...session, idleMs: session.absoluteMs }, limits),
    })),
    'counts it from the login': sessionsThat(({ sessions, clock }) => ({
      isLive: async ({ userId }) => {
        const [record] = await sessions.list(userId);
        return record !== undefined && clock.nowMs() - record.createdAtMs < DEFAULTS.idleMs;
      },
    })),
  },
  'differs from revocation, and a session that is both counts as revoked': {
    'asks for the time first': sessionsThat(({ sessions }) => ({
      rotate: async (request) => {
        const answer = await sessions.rotate(request);
        // Whether or not the session below is still known.
        const hasEnded = answer.outcome === 'revoked' || answer.outcome === 'unknown';
        return hasEnded ? { outcome: 'expired' } : answer;
      },
    })),
    'takes what makes room for revoked': sessionsThat(({ sessions }) => ({
      rotate: async (request) => {
        const answer = await sessions.rotate(request);
        return answer.outcome === 'expired' ? { outcome: 'revoked' } : answer;
      },
    })),
  },
  'leaves nothing to revoke': {
    'says that it ended whatever it knows': sessionsThat(({ sessions }) => {
      const known = new Set<string>();
      return {
        create: (session, limits) => {
          known.add(session.sessionId);
          return sessions.create(session, limits);
        },
        revoke: async ({ sessionId }) => known.delete(sessionId),
      };
    }),
  },
});
