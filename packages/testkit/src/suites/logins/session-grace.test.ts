import type { RotateRequest } from '@latchhook/core/storage';
import { expectLoginFaultsNoticed } from '../../self-test/expect-login-faults-noticed.ts';
import { sessionsThat } from '../../self-test/faulty-storage.ts';
import { sessionGrace } from './session-grace.ts';

expectLoginFaultsNoticed(sessionGrace, {
  'answers the immediate predecessor with the same successor': {
    'knows no grace': sessionsThat(({ sessions }) => ({
      rotate: (request) => sessions.rotate({ ...request, graceMs: -1 }),
    })),
    'makes another successor for each retry': sessionsThat(({ sessions }) => ({
      rotate: async (request) => {
        const answer = await sessions.rotate(request);
        if (answer.outcome !== 'replayed') return answer;
        const { generation } = answer.session;
        return sessions.rotate({ ...request, generation });
      },
    })),
  },
  'lasts graceMs to the millisecond, inclusive': {
    'ends it a millisecond early': sessionsThat(({ sessions }) => ({
      rotate: (request) => sessions.rotate({ ...request, graceMs: request.graceMs - 1 }),
    })),
    'ends it a millisecond late': sessionsThat(({ sessions }) => ({
      rotate: (request) => sessions.rotate({ ...request, graceMs: request.graceMs + 1 }),
    })),
    'never ends it': sessionsThat(({ sessions }) => ({
      rotate: (request) => sessions.rotate({ ...request, graceMs: Number.MAX_SAFE_INTEGER }),
    })),
  },
  'is not prolonged by being used': {
    'counts it from the last retry': sessionsThat(({ sessions, clock }) => {
      let usedForMs = 0;
      return {
        rotate: async (request) => {
          const graceMs = request.graceMs + usedForMs;
          const answer = await sessions.rotate({ ...request, graceMs });
          if (answer.outcome === 'replayed') {
            usedForMs = clock.nowMs() - answer.session.rotatedAtMs;
          }
          return answer;
        },
      };
    }),
  },
  'moves neither the time of rotation nor the end': {
    'lets a retry keep the session from idling out': sessionsThat(({ sessions, clock }) => {
      let usedForMs = 0;
      return {
        rotate: async (request) => {
          const idleMs = request.idleMs + usedForMs;
          const answer = await sessions.rotate({ ...request, idleMs });
          if (answer.outcome === 'replayed') {
            usedForMs = clock.nowMs() - answer.session.rotatedAtMs;
          }
          return answer;
        },
      };
    }),
  },
  'answers busy after replayLimit answers, and changes nothing': {
    'knows no limit': sessionsThat(({ sessions }) => ({
      rotate: (request) => sessions.rotate({ ...request, replayLimit: 1e9 }),
    })),
    'takes a busy client for a thief': sessionsThat(({ sessions }) => ({
      rotate: async (request) => {
        const answer = await sessions.rotate(request);
        if (answer.outcome === 'busy') await sessions.revoke(request);
        return answer;
      },
    })),
  },
  'gives each generation its own answers': {
    'counts them over the whole session': sessionsThat(({ sessions }) => {
      let replays = 0;
      const isSpent = ({ replayLimit }: RotateRequest) => replays > replayLimit;
      return {
        rotate: async (request) => {
          const answer = await sessions.rotate(request);
          if (answer.outcome === 'replayed') replays += 1;
          return answer.outcome === 'replayed' && isSpent(request) ? { outcome: 'busy' } : answer;
        },
      };
    }),
  },
});
