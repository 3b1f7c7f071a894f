import { describe, expect, it } from 'vitest';
import type { ChallengeState } from './challenge-state.ts';
import { decideCompletion } from './decide-completion.ts';
import { NEW_FACTOR_LOCK } from './factor-lock.ts';
import type { SessionState } from './session-state.ts';
import {
  challengeState,
  IDLE_MS,
  SESSION_EXPIRES_AT_MS,
  sessionState,
} from './states.test.support.ts';

const { createdAtMs, expiresAtMs, rotatedAtMs, generation, ...grant } = sessionState().record;

const NOW_MS = 500;
const USED_STEP = 7;

interface Options {
  readonly challenge?: ChallengeState | undefined;
  readonly sessions?: readonly SessionState[];
  readonly totpStep?: number | null;
}

function complete(options: Options = {}) {
  const { challenge, sessions, totpStep } = {
    challenge: challengeState({ attempts: 5 }),
    sessions: [],
    totpStep: USED_STEP + 1,
    ...options,
  };
  const factorLock = {
    failures: 3,
    lockedUntilMs: 900,
    isSuspended: true,
    lastTotpStep: USED_STEP,
  };
  const session = { ...grant, idleMs: IDLE_MS, absoluteMs: SESSION_EXPIRES_AT_MS };
  const request = { userId: 'ada', challengeId: 'c1', totpStep, session, maxSessionsPerUser: 2 };
  return decideCompletion({ challenge, factorLock, sessions }, request, NOW_MS);
}

const unchangedWith = (outcome: string) => ({ outcome: { outcome }, change: null });

describe('completing a challenge with a valid code', () => {
  it('consumes the challenge and the TOTP step, resets the failures and creates the session', () => {
    const record = {
      ...grant,
      createdAtMs: NOW_MS,
      expiresAtMs: NOW_MS + SESSION_EXPIRES_AT_MS,
      rotatedAtMs: NOW_MS,
      generation: 1,
    };
    expect(complete()).toEqual({
      outcome: { outcome: 'completed', session: record },
      change: {
        challenge: challengeState({ attempts: 5, completedBy: 's1' }),
        factorLock: { ...NEW_FACTOR_LOCK, lastTotpStep: USED_STEP + 1 },
        sessions: [{ record, idleMs: IDLE_MS, replays: 0, isEnded: false }],
      },
    });
  });

  it('ends the oldest session above maxSessionsPerUser', () => {
    const sessions = [sessionState({ sessionId: 'a' }), sessionState({ sessionId: 'b' })];
    const changedSessions = complete({ sessions }).change?.sessions;
    expect(changedSessions?.map(({ record }) => record.sessionId)).toEqual(['a', 's1']);
  });

  it('leaves the last TOTP step unchanged if the code is a recovery code', () => {
    expect(complete({ totpStep: null }).change?.factorLock.lastTotpStep).toBe(USED_STEP);
  });

  it('returns step_used and changes nothing if this TOTP step or a later one was used', () => {
    expect(complete({ totpStep: USED_STEP })).toEqual(unchangedWith('step_used'));
    expect(complete({ totpStep: USED_STEP - 1 })).toEqual(unchangedWith('step_used'));
  });

  it('returns gone for a challenge that is unknown, expired or ended', () => {
    expect(complete({ challenge: undefined })).toEqual(unchangedWith('gone'));
    expect(complete({ challenge: challengeState({ expiresAtMs: NOW_MS }) })).toEqual(
      unchangedWith('gone'),
    );
    expect(complete({ challenge: challengeState({ isEnded: true }) })).toEqual(
      unchangedWith('gone'),
    );
  });

  it('returns the same session to a repeated call while that session is live', () => {
    const challenge = challengeState({ completedBy: 's1' });
    const session = sessionState({ generation: 3 });
    expect(complete({ challenge, sessions: [session] })).toEqual({
      outcome: { outcome: 'completed', session: session.record },
      change: null,
    });
    const endedSession = { ...session, isEnded: true };
    expect(complete({ challenge, sessions: [endedSession] })).toEqual(unchangedWith('gone'));
    expect(complete({ challenge })).toEqual(unchangedWith('gone'));
    const challengeOfOther = challengeState({ completedBy: 's2' });
    expect(complete({ challenge: challengeOfOther, sessions: [session] })).toEqual(
      unchangedWith('gone'),
    );
  });
});
