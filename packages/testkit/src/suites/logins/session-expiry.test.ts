import { DEFAULTS } from '../../samples/login-samples.ts';
import { expectLoginFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import { faultyRequests, faultyResults, faultySessions } from '../../self-test/faulty-storage.ts';
import { sessionExpiry } from './session-expiry.ts';

const endsLate = faultyRequests('sessions', 'create', ({ absoluteMs }) => ({
  absoluteMs: absoluteMs + 1,
}));

const endsEarly = faultyRequests('sessions', 'create', ({ absoluteMs }) => ({
  absoluteMs: absoluteMs - 1,
}));

const revokesExpired = faultySessions((sessions) => {
  const knownIds = new Set<string>();
  return {
    create: (session, limits) => {
      knownIds.add(session.sessionId);
      return sessions.create(session, limits);
    },
    revoke: async (ref) => {
      await sessions.revoke(ref);
      return knownIds.delete(ref.sessionId);
    },
  };
});

expectLoginFaultsNoticed(sessionExpiry, {
  'rotates a session only before idleMs has passed since the last rotation': {
    'ends a session 1 ms early': faultyRequests('sessions', 'rotate', ({ idleMs }) => ({
      idleMs: idleMs - 1,
    })),
    'ends a session 1 ms late': faultyRequests('sessions', 'rotate', ({ idleMs }) => ({
      idleMs: idleMs + 1,
    })),
    'counts idleMs from the login': faultySessions((sessions, { clock }) => ({
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
    'extends expiresAtMs on each rotation': faultySessions((sessions, { clock }) => ({
      rotate: async (request) => {
        const result = await sessions.rotate(request);
        if (result.outcome !== 'rotated') return result;
        const { session } = result;
        const lifetimeMs = session.expiresAtMs - session.createdAtMs;
        return { ...result, session: { ...session, expiresAtMs: clock.nowMs() + lifetimeMs } };
      },
    })),
  },
  'treats a session as live only before expiresAtMs, even within the grace': {
    'ends a session 1 ms late': endsLate,
    'ends a session 1 ms early': endsEarly,
    'returns true from isLive() unless the session was revoked': faultySessions((sessions) => {
      const revoked = new Set<string>();
      return {
        isLive: async ({ sessionId }) => !revoked.has(sessionId),
        revoke: (ref) => {
          revoked.add(ref.sessionId);
          return sessions.revoke(ref);
        },
      };
    }),
    'returns a cached result to a retry': faultySessions((sessions) => {
      const results = new Map<number, Awaited<ReturnType<typeof sessions.rotate>>>();
      return {
        rotate: async (request) => {
          const cached = results.get(request.generation);
          if (cached !== undefined) return cached;
          const result = await sessions.rotate(request);
          results.set(request.generation, result);
          return result;
        },
      };
    }),
    'returns true from revoke() for every known session': revokesExpired,
  },
  'lists a session as live only before idleMs has passed': {
    'keeps the idleMs of the login': faultyRequests('sessions', 'rotate', () => ({
      idleMs: DEFAULTS.idleMs,
    })),
    'returns revoked for an idle session that was never rotated': faultyResults(
      'sessions',
      'rotate',
      (result, { generation }) =>
        result.outcome === 'expired' && generation === 1 ? { outcome: 'revoked' } : result,
    ),
    'ends idle sessions only on the next rotation': faultyRequests(
      'sessions',
      'create',
      ({ absoluteMs }) => ({ idleMs: absoluteMs }),
    ),
    'counts idleMs from the login': faultySessions((sessions, { clock }) => ({
      isLive: async ({ userId }) => {
        const [record] = await sessions.list(userId);
        return record !== undefined && clock.nowMs() - record.createdAtMs < DEFAULTS.idleMs;
      },
    })),
  },
  'returns expired for an expired session, but not for a session revoked earlier': {
    'returns true from revoke() for every known session': revokesExpired,
    'returns expired for a revoked session': faultyResults('sessions', 'rotate', (result) => {
      const isRevoked = result.outcome === 'revoked' || result.outcome === 'unknown';
      return isRevoked ? { outcome: 'expired' } : result;
    }),
    'returns revoked for an expired session': faultyResults('sessions', 'rotate', (result) =>
      result.outcome === 'expired' ? { outcome: 'revoked' } : result,
    ),
  },
});
