import { expectLoginFaultsNoticed } from '../../self-test/expect-login-faults-noticed.ts';
import { sessionsThat } from '../../self-test/faulty-storage.ts';
import { sessionRotation } from './session-rotation.ts';

expectLoginFaultsNoticed(sessionRotation, {
  'exchanges generation n for n + 1, any number of times': {
    'counts in four bits': sessionsThat(({ sessions }) => ({
      rotate: async (request) =>
        request.generation > 15 ? { outcome: 'unknown' } : sessions.rotate(request),
    })),
  },
  'changes the generation and the time of rotation, and nothing else': {
    'moves the end': sessionsThat(({ sessions }) => ({
      rotate: async (request) => {
        const answer = await sessions.rotate(request);
        if (answer.outcome !== 'rotated') return answer;
        const expiresAtMs = answer.session.expiresAtMs + 1;
        return { ...answer, session: { ...answer.session, expiresAtMs } };
      },
    })),
    'answers the record as it was before': sessionsThat(({ sessions }) => ({
      rotate: async (request) => {
        const [before] = await sessions.list(request.userId);
        const answer = await sessions.rotate(request);
        if (answer.outcome !== 'rotated' || before === undefined) return answer;
        return { ...answer, session: before };
      },
    })),
  },
  'answers the time by which it decided': {
    'answers another': sessionsThat(({ sessions, clock }) => ({
      rotate: async (request) => {
        const answer = await sessions.rotate(request);
        return 'nowMs' in answer ? { ...answer, nowMs: clock.nowMs() - 1 } : answer;
      },
    })),
  },
  'answers unknown for a session that never existed': {
    'takes it for one that has expired': sessionsThat(({ sessions }) => ({
      rotate: async (request) => {
        const answer = await sessions.rotate(request);
        return answer.outcome === 'unknown' ? { outcome: 'expired' } : answer;
      },
    })),
  },
  'follows an authentic token that is ahead of a store that lost writes': {
    'believes itself rather than the token': sessionsThat(({ sessions }) => ({
      rotate: (request) => sessions.rotate({ ...request, rollForwardLimit: 0 }),
    })),
    'ends a step short of the limit': sessionsThat(({ sessions }) => ({
      rotate: (request) =>
        sessions.rotate({ ...request, rollForwardLimit: request.rollForwardLimit - 1 }),
    })),
  },
  'follows no further than the limit, and leaves the session as it was': {
    'follows for ever': sessionsThat(({ sessions }) => ({
      rotate: (request) => sessions.rotate({ ...request, rollForwardLimit: 1e9 }),
    })),
    'takes it for theft': sessionsThat(({ sessions }) => ({
      rotate: async (request) => {
        const answer = await sessions.rotate(request);
        if (answer.outcome === 'unknown') await sessions.revoke(request);
        return answer;
      },
    })),
  },
});
