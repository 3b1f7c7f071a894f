import { expect, it } from 'vitest';
import { decideCompletion } from './decide-completion.ts';
import type { SessionState } from './session-state.ts';
import {
  challengeState,
  IDLE_MS,
  SESSION_EXPIRES_AT_MS,
  sessionState,
} from './states.test.support.ts';

it('completing a challenge again returns its session while that is live, but no other session', () => {
  const session = sessionState({ generation: 3 });
  const repeat = (completedBy: string, ...sessions: readonly SessionState[]) => {
    const stored = { challenge: challengeState({ completedBy }), factorLock: undefined, sessions };
    const login = { ...session.record, idleMs: IDLE_MS, absoluteMs: SESSION_EXPIRES_AT_MS };
    const request = { userId: 'ada', challengeId: 'c1', totpStep: 8, session: login };
    return decideCompletion(stored, { ...request, maxSessionsPerUser: 2 }, 500);
  };
  const gone = { outcome: { outcome: 'gone' }, change: null };
  expect(repeat('s1', session)).toEqual({
    outcome: { outcome: 'completed', session: session.record },
    change: null,
  });
  expect(repeat('s1', { ...session, isEnded: true })).toEqual(gone);
  expect(repeat('s1')).toEqual(gone);
  expect(repeat('s2', session)).toEqual(gone);
});
