import type { RotateRequest } from '@latchhook/core/storage';
import { expectLoginFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import { faultyRequests, faultySessions } from '../../self-test/faulty-storage.ts';
import { sessionGrace } from './session-grace.ts';

expectLoginFaultsNoticed(sessionGrace, {
  'returns the same successor to the immediate predecessor': {
    'allows no grace': faultyRequests('sessions', 'rotate', () => ({ graceMs: -1 })),
    'creates another successor for each retry': faultySessions((sessions) => ({
      rotate: async (request) => {
        const result = await sessions.rotate(request);
        if (result.outcome !== 'replayed') return result;
        const { generation } = result.session;
        return sessions.rotate({ ...request, generation });
      },
    })),
  },
  'returns replayed up to and including graceMs, then reused even after a replay': {
    'ends the grace 1 ms early': faultyRequests('sessions', 'rotate', ({ graceMs }) => ({
      graceMs: graceMs - 1,
    })),
    'ends the grace 1 ms late': faultyRequests('sessions', 'rotate', ({ graceMs }) => ({
      graceMs: graceMs + 1,
    })),
    'never ends the grace': faultyRequests('sessions', 'rotate', () => ({
      graceMs: Number.MAX_SAFE_INTEGER,
    })),

    'counts the grace from the last replay': faultySessions((sessions, { clock }) => {
      let usedForMs = 0;
      return {
        rotate: async (request) => {
          const graceMs = request.graceMs + usedForMs;
          const result = await sessions.rotate({ ...request, graceMs });
          if (result.outcome === 'replayed') {
            usedForMs = clock.nowMs() - result.session.rotatedAtMs;
          }
          return result;
        },
      };
    }),
  },
  'changes neither rotatedAtMs nor the expiry of a session on a replay': {
    'extends the idle time on a replay': faultySessions((sessions, { clock }) => {
      let usedForMs = 0;
      return {
        rotate: async (request) => {
          const idleMs = request.idleMs + usedForMs;
          const result = await sessions.rotate({ ...request, idleMs });
          if (result.outcome === 'replayed') {
            usedForMs = clock.nowMs() - result.session.rotatedAtMs;
          }
          return result;
        },
      };
    }),
  },
  'returns busy after replayLimit replays without ending the session': {
    'ignores replayLimit': faultyRequests('sessions', 'rotate', () => ({ replayLimit: 1e9 })),
    'revokes the session of a busy client': faultySessions((sessions) => ({
      rotate: async (request) => {
        const result = await sessions.rotate(request);
        if (result.outcome === 'busy') await sessions.revoke(request);
        return result;
      },
    })),
  },
  'counts the replays of each generation separately': {
    'counts replays over the whole session': faultySessions((sessions) => {
      let replays = 0;
      const isOverLimit = ({ replayLimit }: RotateRequest) => replays > replayLimit;
      return {
        rotate: async (request) => {
          const result = await sessions.rotate(request);
          if (result.outcome === 'replayed') replays += 1;
          return result.outcome === 'replayed' && isOverLimit(request)
            ? { outcome: 'busy' }
            : result;
        },
      };
    }),
  },
});
