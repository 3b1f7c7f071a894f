import type { SessionRecord } from '../session-store.ts';
import type { ChallengeState } from './challenge-state.ts';
import type { SessionState } from './session-state.ts';

/** A session that began at time 0, except for what the arguments say. */
export function sessionState(
  record: Partial<SessionRecord> = {},
  state: Partial<SessionState> = {},
): SessionState {
  return {
    record: {
      userId: 'ada',
      sessionId: 's1',
      scopes: ['user'],
      accountId: null,
      amr: ['pwd'],
      authTimeMs: 0,
      clientAddress: null,
      userAgent: null,
      createdAtMs: 0,
      expiresAtMs: 10_000,
      rotatedAtMs: 0,
      generation: 1,
      ...record,
    },
    idleMs: 5000,
    replays: 0,
    isEnded: false,
    ...state,
  };
}

/** A challenge that nobody has tried to answer, except for what the argument says. */
export function challengeState(change: Partial<ChallengeState> = {}): ChallengeState {
  return {
    userId: 'ada',
    challengeId: 'c1',
    context: { accountId: null, version: 'v2', authTimeMs: 0, amr: ['pwd'], actor: 'user' },
    expiresAtMs: 1000,
    attempts: 0,
    completedBy: null,
    isEnded: false,
    ...change,
  };
}
