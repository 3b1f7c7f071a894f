import type { SessionRecord } from '../session-store.ts';
import type { ChallengeState } from './challenge-state.ts';
import type { SessionState } from './session-state.ts';

/** The idle timeout of {@link sessionState}, ms. */
export const IDLE_MS = 5_000;
/** When {@link sessionState} expires, ms. */
export const SESSION_EXPIRES_AT_MS = 10_000;

/** A live session that was created at time 0; the arguments override fields of its record and of its state. */
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
      expiresAtMs: SESSION_EXPIRES_AT_MS,
      rotatedAtMs: 0,
      generation: 1,
      ...record,
    },
    idleMs: IDLE_MS,
    replays: 0,
    isEnded: false,
    ...state,
  };
}

/** A challenge without attempts; the argument overrides its fields. */
export function challengeState(change: Partial<ChallengeState> = {}): ChallengeState {
  return {
    userId: 'ada',
    challengeId: 'c1',
    context: { accountId: null, version: 'v2', authTimeMs: 0, amr: ['pwd'], actor: 'user' },
    expiresAtMs: 1_000,
    attempts: 0,
    completedBy: null,
    isEnded: false,
    ...change,
  };
}
