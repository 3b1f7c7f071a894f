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
  'ends the session when a predecessor is presented after the grace': {
    'never ends the grace': sessionsThat(({ sessions }) => ({
      rotate: (request) => sessions.rotate({ ...request, graceMs: Number.MAX_SAFE_INTEGER }),
    })),
    'returns reused without ending the session': sessionsThat(({ sessions }) => ({
      rotate: (request) => reportOnly(sessions, request),
    })),
  },
  'ends the session when a token two generations old is presented, even within the grace': {
    'replays every generation': sessionsThat(({ sessions, clock }) => ({
      rotate: async (request) => {
        const [newest] = await sessions.list(request.userId);
        const isOld = newest !== undefined && request.generation < newest.generation;
        if (!isOld) return sessions.rotate(request);
        return { outcome: 'replayed', session: newest, nowMs: clock.nowMs() };
      },
    })),
    'compares rotation times instead of generations': sessionsThat(({ sessions, clock }) => ({
      rotate: async (request) => {
        const [newest] = await sessions.list(request.userId);
        const isOfNow = newest?.rotatedAtMs === clock.nowMs();
        return sessions.rotate(isOfNow ? { ...request, generation: newest.generation } : request);
      },
    })),
  },
  'ends a session with a reused token on every connection': {
    'caches isLive() per connection': {
      open: async ({ clock }) => {
        const shared = memoryStorage({ clock });
        return {
          connect: async () => ({ ...shared, sessions: rememberingWhoLives(shared.sessions) }),
          close: async () => {},
        };
      },
    },
  },
  'returns reused to the first presentation, and revoked to later ones': {
    'returns reused each time': sessionsThat(({ sessions }) => {
      const stolen = new Set<string>();
      return {
        rotate: async (request) => {
          const answer = await sessions.rotate(request);
          if (answer.outcome === 'reused') stolen.add(request.sessionId);
          return stolen.has(request.sessionId) ? { outcome: 'reused' } : answer;
        },
      };
    }),
    'returns unknown to later presentations': sessionsThat(({ sessions }) => ({
      rotate: async (request) => {
        const answer = await sessions.rotate(request);
        return answer.outcome === 'revoked' ? { outcome: 'unknown' } : answer;
      },
    })),
  },
  'keeps the other sessions of the user': {
    'ends all sessions of the user': sessionsThat(({ sessions }) => ({
      rotate: async (request) => {
        const answer = await sessions.rotate(request);
        if (answer.outcome === 'reused') await sessions.revokeAll(request.userId);
        return answer;
      },
    })),
  },
});
