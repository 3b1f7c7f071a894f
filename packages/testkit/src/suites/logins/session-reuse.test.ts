import { memoryStorage } from '@latchhook/core';
import type { RotateOutcome, RotateRequest, SessionStore } from '@latchhook/core/storage';
import { expectLoginFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import { faultyRequests, faultyResults, faultySessions } from '../../self-test/faulty-storage.ts';
import { sessionReuse } from './session-reuse.ts';

/** Returns `reused` for an old token without ending the session. */
async function rotateWithoutEnding(
  sessions: SessionStore,
  request: RotateRequest,
): Promise<RotateOutcome> {
  const [newest] = await sessions.list(request.userId);
  if (newest === undefined || request.generation >= newest.generation) {
    return sessions.rotate(request);
  }
  return { outcome: 'reused' };
}

function cacheIsLive(sessions: SessionStore): SessionStore {
  const cache = new Map<string, boolean>();
  return {
    ...sessions,
    isLive: async (ref) => {
      const isLive = cache.get(ref.sessionId) ?? (await sessions.isLive(ref));
      cache.set(ref.sessionId, isLive);
      return isLive;
    },
  };
}

expectLoginFaultsNoticed(sessionReuse, {
  'ends the session when a predecessor is presented after the grace': {
    'never ends the grace': faultyRequests('sessions', 'rotate', () => ({
      graceMs: Number.MAX_SAFE_INTEGER,
    })),
    'returns reused without ending the session': faultySessions((sessions) => ({
      rotate: (request) => rotateWithoutEnding(sessions, request),
    })),
  },
  'ends a session everywhere when a token two generations old is presented': {
    'replays every generation': faultySessions((sessions, { clock }) => ({
      rotate: async (request) => {
        const [newest] = await sessions.list(request.userId);
        const isOld = newest !== undefined && request.generation < newest.generation;
        if (!isOld) return sessions.rotate(request);
        return { outcome: 'replayed', session: newest, nowMs: clock.nowMs() };
      },
    })),
    'compares rotation times instead of generations': faultySessions((sessions, { clock }) => ({
      rotate: async (request) => {
        const [newest] = await sessions.list(request.userId);
        const isJustRotated = newest?.rotatedAtMs === clock.nowMs();
        return sessions.rotate(
          isJustRotated ? { ...request, generation: newest.generation } : request,
        );
      },
    })),

    'caches isLive() per connection': {
      open: async ({ clock }) => {
        const shared = memoryStorage({ clock });
        return {
          connect: async () => ({ ...shared, sessions: cacheIsLive(shared.sessions) }),
          close: async () => {},
        };
      },
    },

    'returns reused each time': faultySessions((sessions) => {
      const stolen = new Set<string>();
      return {
        rotate: async (request) => {
          const result = await sessions.rotate(request);
          if (result.outcome === 'reused') stolen.add(request.sessionId);
          return stolen.has(request.sessionId) ? { outcome: 'reused' } : result;
        },
      };
    }),
    'returns unknown to later presentations': faultyResults('sessions', 'rotate', (result) =>
      result.outcome === 'revoked' ? { outcome: 'unknown' } : result,
    ),
  },
  'keeps the other sessions of the user when an old token is presented': {
    'ends all sessions of the user': faultySessions((sessions) => ({
      rotate: async (request) => {
        const result = await sessions.rotate(request);
        if (result.outcome === 'reused') await sessions.revokeAll(request.userId);
        return result;
      },
    })),
  },
});
