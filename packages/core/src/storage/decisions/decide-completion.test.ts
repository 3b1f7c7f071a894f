import { describe, expect, it } from 'vitest';
import type { ChallengeState } from './challenge-state.ts';
import { decideCompletion } from './decide-completion.ts';
import { NEW_FACTOR_LOCK } from './factor-lock.ts';
import type { SessionState } from './session-state.ts';
import { challengeState, sessionState } from './states.test.support.ts';

const { createdAtMs, expiresAtMs, rotatedAtMs, generation, ...grant } = sessionState().record;

interface Case {
  readonly challenge?: ChallengeState | undefined;
  readonly lastTotpStep?: number;
  readonly sessions?: readonly SessionState[];
  readonly totpStep?: number | null;
}

function complete({ sessions = [], totpStep = 8, lastTotpStep = 7, ...given }: Case = {}) {
  const { challenge } = { challenge: challengeState({ attempts: 5 }), ...given };
  const factorLock = { failures: 3, lockedUntilMs: 900, isSuspended: true, lastTotpStep };
  const session = { ...grant, idleMs: 5000, absoluteMs: 10_000 };
  const request = { userId: 'ada', challengeId: 'c1', totpStep, session, maxSessionsPerUser: 2 };
  return decideCompletion({ challenge, factorLock, sessions }, request, 500);
}

const rejected = (outcome: string) => ({ answer: { outcome }, change: null });

describe('a right code', () => {
  it('consumes the challenge and the TOTP step, resets the failures and creates the session', () => {
    const record = {
      ...grant,
      createdAtMs: 500,
      expiresAtMs: 10_500,
      rotatedAtMs: 500,
      generation: 1,
    };
    expect(complete()).toEqual({
      answer: { outcome: 'completed', session: record },
      change: {
        challenge: challengeState({ attempts: 5, completedBy: 's1' }),
        factorLock: { ...NEW_FACTOR_LOCK, lastTotpStep: 8 },
        sessions: [{ record, idleMs: 5000, replays: 0, isEnded: false }],
      },
    });
  });

  it('ends sessions above the cap', () => {
    const sessions = [sessionState({ sessionId: 'a' }), sessionState({ sessionId: 'b' })];
    const changed = complete({ sessions }).change?.sessions;
    expect(changed?.map(({ record }) => record.sessionId)).toEqual(['a', 's1']);
  });

  it('leaves the last TOTP step unchanged if it is a recovery code', () => {
    expect(complete({ totpStep: null }).change?.factorLock.lastTotpStep).toBe(7);
  });

  it('is rejected, and consumes nothing, if its step or a later one was used', () => {
    expect(complete({ totpStep: 7 })).toEqual(rejected('step_used'));
    expect(complete({ totpStep: 6 })).toEqual(rejected('step_used'));
  });

  it('is rejected for a challenge that is unknown, expired or ended', () => {
    expect(complete({ challenge: undefined })).toEqual(rejected('gone'));
    expect(complete({ challenge: challengeState({ expiresAtMs: 500 }) })).toEqual(rejected('gone'));
    expect(complete({ challenge: challengeState({ isEnded: true }) })).toEqual(rejected('gone'));
  });

  it('returns the same session when repeated, while that session is live', () => {
    const challenge = challengeState({ completedBy: 's1' });
    const session = sessionState({ generation: 3 });
    expect(complete({ challenge, sessions: [session] })).toEqual({
      answer: { outcome: 'completed', session: session.record },
      change: null,
    });
    const ended = { ...session, isEnded: true };
    expect(complete({ challenge, sessions: [ended] })).toEqual(rejected('gone'));
    expect(complete({ challenge })).toEqual(rejected('gone'));
    const others = challengeState({ completedBy: 's2' });
    expect(complete({ challenge: others, sessions: [session] })).toEqual(rejected('gone'));
  });
});
