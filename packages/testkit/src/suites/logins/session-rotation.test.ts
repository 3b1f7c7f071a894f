import { expectLoginFaultsNoticed } from '../../self-test/expect-login-faults-noticed.ts';
import { sessionsThat } from '../../self-test/faulty-storage.ts';
import { sessionRotation } from './session-rotation.ts';

expectLoginFaultsNoticed(sessionRotation, {
  'exchanges generation n for n + 1, any number of times': {
    'overflows after generation 15': sessionsThat(({ sessions }) => ({
      rotate: async (request) =>
        request.generation > 15 ? { outcome: 'unknown' } : sessions.rotate(request),
    })),
  },
  'changes generation and rotatedAtMs only': {
    'changes expiresAtMs': sessionsThat(({ sessions }) => ({
      rotate: async (request) => {
        const answer = await sessions.rotate(request);
        if (answer.outcome !== 'rotated') return answer;
        const expiresAtMs = answer.session.expiresAtMs + 1;
        return { ...answer, session: { ...answer.session, expiresAtMs } };
      },
    })),
    'returns the record from before the rotation': sessionsThat(({ sessions }) => ({
      rotate: async (request) => {
        const [before] = await sessions.list(request.userId);
        const answer = await sessions.rotate(request);
        if (answer.outcome !== 'rotated' || before === undefined) return answer;
        return { ...answer, session: before };
      },
    })),
  },
  'returns the time of the storage clock': {
    'returns another time': sessionsThat(({ sessions, clock }) => ({
      rotate: async (request) => {
        const answer = await sessions.rotate(request);
        return 'nowMs' in answer ? { ...answer, nowMs: clock.nowMs() - 1 } : answer;
      },
    })),
  },
  'returns unknown for a session that never existed': {
    'returns expired for an unknown session': sessionsThat(({ sessions }) => ({
      rotate: async (request) => {
        const answer = await sessions.rotate(request);
        return answer.outcome === 'unknown' ? { outcome: 'expired' } : answer;
      },
    })),
  },
  'rolls forward to a token that is ahead of a store that lost writes': {
    'never rolls forward': sessionsThat(({ sessions }) => ({
      rotate: (request) => sessions.rotate({ ...request, rollForwardLimit: 0 }),
    })),
    'rolls forward one generation too few': sessionsThat(({ sessions }) => ({
      rotate: (request) =>
        sessions.rotate({ ...request, rollForwardLimit: request.rollForwardLimit - 1 }),
    })),
  },
  'returns unknown beyond rollForwardLimit, and keeps the session unchanged': {
    'ignores rollForwardLimit': sessionsThat(({ sessions }) => ({
      rotate: (request) => sessions.rotate({ ...request, rollForwardLimit: 1e9 }),
    })),
    'ends the session of a token too far ahead': sessionsThat(({ sessions }) => ({
      rotate: async (request) => {
        const answer = await sessions.rotate(request);
        if (answer.outcome === 'unknown') await sessions.revoke(request);
        return answer;
      },
    })),
  },
});
