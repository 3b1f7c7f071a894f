import { memoryStorage } from '@latchhook/core';
import type { RotateOutcome, RotateRequest, SessionStore } from '@latchhook/core/storage';
import { expectLoginFaultsNoticed } from '../../self-test/expect-login-faults-noticed.ts';
import { methodsOfSessions, sessionsThat } from '../../self-test/faulty-storage.ts';
import { sessionReuse } from './session-reuse.ts';

/** Reports that the token is old, but does not end the session. */
async function reportOnly(sessions: SessionStore, request: RotateRequest): Promise<RotateOutcome> {
  const [newest] = await sessions.list(request.userId);
  if (newest === undefined || request.generation >= newest.generation) {
    return sessions.rotate(request);
  }
  return { outcome: 'reused' };
}

function rememberingWhoLives(sessions: SessionStore): SessionStore {
  const known = new Map<string, boolean>();
  return {
    ...methodsOfSessions(sessions),
    isLive: async (ref) => {
      const isLive = known.get(ref.sessionId) ?? (await sessions.isLive(ref));
      known.set(ref.sessionId, isLive);
      return isLive;
    },
  };
}

expectLoginFaultsNoticed(sessionReuse, {
  'ends the session when a predecessor comes after the grace': {
    'answers the predecessor for ever': sessionsThat(({ sessions }) => ({
      rotate: (request) => sessions.rotate({ ...request, graceMs: Number.MAX_SAFE_INTEGER }),
    })),
    'reports the reuse, and leaves the session be': sessionsThat(({ sessions }) => ({
      rotate: (request) => reportOnly(sessions, request),
    })),
  },
  'ends the session when a token is two generations old, within the grace': {
    'has a grace for every generation': sessionsThat(({ sessions, clock }) => ({
      rotate: async (request) => {
        const [newest] = await sessions.list(request.userId);
        const isOld = newest !== undefined && request.generation < newest.generation;
        if (!isOld) return sessions.rotate(request);
        return { outcome: 'replayed', session: newest, nowMs: clock.nowMs() };
      },
    })),
    'compares times, which are the same': sessionsThat(({ sessions, clock }) => ({
      rotate: async (request) => {
        const [newest] = await sessions.list(request.userId);
        const isOfNow = newest?.rotatedAtMs === clock.nowMs();
        return sessions.rotate(isOfNow ? { ...request, generation: newest.generation } : request);
      },
    })),
  },
  'ends it for every connection': {
    'remembers in each process who lives': {
      open: async ({ clock }) => {
        const shared = memoryStorage({ clock });
        return {
          connect: async () => ({ ...shared, sessions: rememberingWhoLives(shared.sessions) }),
          close: async () => {},
        };
      },
    },
  },
  'is answered reused once: later presentations find the session ended': {
    'raises the alarm for each': sessionsThat(({ sessions }) => {
      const stolen = new Set<string>();
      return {
        rotate: async (request) => {
          const answer = await sessions.rotate(request);
          if (answer.outcome === 'reused') stolen.add(request.sessionId);
          return stolen.has(request.sessionId) ? { outcome: 'reused' } : answer;
        },
      };
    }),
    'forgets the session': sessionsThat(({ sessions }) => ({
      rotate: async (request) => {
        const answer = await sessions.rotate(request);
        return answer.outcome === 'revoked' ? { outcome: 'unknown' } : answer;
      },
    })),
  },
  'leaves the other sessions of the user alone': {
    'ends them all': sessionsThat(({ sessions }) => ({
      rotate: async (request) => {
        const answer = await sessions.rotate(request);
        if (answer.outcome === 'reused') await sessions.revokeAll(request.userId);
        return answer;
      },
    })),
  },
});
