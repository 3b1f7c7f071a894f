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
  'rotates a session before idleMs has passed, and not from then on': {
    'ends a session 1 ms early': sessionsThat(({ sessions }) => ({
      rotate: (request) => sessions.rotate({ ...request, idleMs: request.idleMs - 1 }),
    })),
    'ends a session 1 ms late': sessionsThat(({ sessions }) => ({
      rotate: (request) => sessions.rotate({ ...request, idleMs: request.idleMs + 1 }),
    })),
  },
  'counts idleMs from the last rotation': {
    'counts idleMs from the login': sessionsThat(({ sessions, clock }) => ({
      rotate: async (request) => {
        const [record] = await sessions.list(request.userId);
        const sinceLoginMs = clock.nowMs() - (record?.createdAtMs ?? 0);
        return sinceLoginMs >= request.idleMs ? { outcome: 'expired' } : sessions.rotate(request);
      },
    })),
  },
  'ends a session at expiresAtMs, even if it is rotated daily': {
    'ends a session 1 ms late': endsLate,
    'ends a session 1 ms early': endsEarly,
    'extends expiresAtMs on each rotation': sessionsThat(({ sessions, clock }) => ({
      rotate: async (request) => {
        const answer = await sessions.rotate(request);
        if (answer.outcome !== 'rotated') return answer;
        const { session } = answer;
        const lifetimeMs = session.expiresAtMs - session.createdAtMs;
        return { ...answer, session: { ...session, expiresAtMs: clock.nowMs() + lifetimeMs } };
      },
    })),
  },
  'returns expired to a predecessor within the grace once the session has expired': {
    'returns a cached result to a retry': sessionsThat(({ sessions }) => {
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
  'lists a session as live before expiresAtMs, and not from then on': {
    'ends a session 1 ms late': endsLate,
    'ends a session 1 ms early': endsEarly,
    'checks revocation only': sessionsThat(({ sessions }) => {
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
  'lists a session as live before idleMs has passed, and not from then on': {
    'ends idle sessions only on the next rotation': sessionsThat(({ sessions }) => ({
      create: (session, limits) =>
        sessions.create({ ...session, idleMs: session.absoluteMs }, limits),
    })),
    'counts idleMs from the login': sessionsThat(({ sessions, clock }) => ({
      isLive: async ({ userId }) => {
        const [record] = await sessions.list(userId);
        return record !== undefined && clock.nowMs() - record.createdAtMs < DEFAULTS.idleMs;
      },
    })),
  },
  'returns expired for an expired session, but not for one revoked before its expiry': {
    'returns expired for a revoked session': sessionsThat(({ sessions }) => ({
      rotate: async (request) => {
        const answer = await sessions.rotate(request);
        // Whether or not the session below is still known.
        const hasEnded = answer.outcome === 'revoked' || answer.outcome === 'unknown';
        return hasEnded ? { outcome: 'expired' } : answer;
      },
    })),
    'returns revoked for an expired session': sessionsThat(({ sessions }) => ({
      rotate: async (request) => {
        const answer = await sessions.rotate(request);
        return answer.outcome === 'expired' ? { outcome: 'revoked' } : answer;
      },
    })),
  },
  'returns false to revoke() of an expired session': {
    'returns true for every known session': sessionsThat(({ sessions }) => {
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
