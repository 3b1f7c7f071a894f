import { expectLoginFaultsNoticed } from '../../self-test/expect-suite-faults.ts';
import { faultyRequests, faultyResults, faultySessions } from '../../self-test/faulty-storage.ts';
import { sessionRotation } from './session-rotation.ts';

expectLoginFaultsNoticed(sessionRotation, {
  'exchanges generation n for n + 1, any number of times': {
    'overflows after generation 15': faultySessions((sessions) => ({
      rotate: async (request) =>
        request.generation > 15 ? { outcome: 'unknown' } : sessions.rotate(request),
    })),
  },
  'changes only generation and rotatedAtMs of a rotated session': {
    'changes expiresAtMs': faultyResults('sessions', 'rotate', (result) => {
      if (result.outcome !== 'rotated') return result;
      const expiresAtMs = result.session.expiresAtMs + 1;
      return { ...result, session: { ...result.session, expiresAtMs } };
    }),
    'returns the record from before the rotation': faultySessions((sessions) => ({
      rotate: async (request) => {
        const [before] = await sessions.list(request.userId);
        const result = await sessions.rotate(request);
        if (result.outcome !== 'rotated' || before === undefined) return result;
        return { ...result, session: before };
      },
    })),
  },
  'returns the time of the storage clock with a rotated or replayed session': {
    'returns another time': faultySessions((sessions, { clock }) => ({
      rotate: async (request) => {
        const result = await sessions.rotate(request);
        return 'nowMs' in result ? { ...result, nowMs: clock.nowMs() - 1 } : result;
      },
    })),
  },
  'returns unknown for a session that never existed': {
    'returns expired for an unknown session': faultyResults('sessions', 'rotate', (result) =>
      result.outcome === 'unknown' ? { outcome: 'expired' } : result,
    ),
  },
  'rolls forward to a token that is ahead of a store that lost writes': {
    'never rolls forward': faultyRequests('sessions', 'rotate', () => ({ rollForwardLimit: 0 })),
    'rolls forward one generation too few': faultyRequests(
      'sessions',
      'rotate',
      ({ rollForwardLimit }) => ({ rollForwardLimit: rollForwardLimit - 1 }),
    ),
  },
  'returns unknown to a token beyond rollForwardLimit without changing the session': {
    'ignores rollForwardLimit': faultyRequests('sessions', 'rotate', () => ({
      rollForwardLimit: 1e9,
    })),
    'ends the session of a token too far ahead': faultySessions((sessions) => ({
      rotate: async (request) => {
        const result = await sessions.rotate(request);
        if (result.outcome === 'unknown') await sessions.revoke(request);
        return result;
      },
    })),
  },
});
