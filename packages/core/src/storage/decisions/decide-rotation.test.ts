import { describe, expect, it } from 'vitest';
import { decideRotation } from './decide-rotation.ts';
import { IDLE_MS, SESSION_EXPIRES_AT_MS, sessionState } from './states.test.support.ts';

const CURRENT = 5; // The generation of the current refresh token.
const ROTATED_AT_MS = 100;
const NOW_MS = 150;
const LIMITS = { graceMs: 60, idleMs: IDLE_MS, replayLimit: 2, rollForwardLimit: 3 };
const GRACE_ENDS_AT_MS = ROTATED_AT_MS + LIMITS.graceMs;
const session = sessionState({ generation: CURRENT, rotatedAtMs: ROTATED_AT_MS });

function requestFor(generation: number) {
  return { userId: 'ada', sessionId: 's1', generation, ...LIMITS };
}

const rotate = (generation: number, nowMs: number, stored = session) =>
  decideRotation(stored, requestFor(generation), nowMs);

const unchangedWith = (outcome: string) => ({ outcome: { outcome }, change: null });

describe('decideRotation', () => {
  it('rotates to the next generation, and resets idle time and replays', () => {
    const stored = { ...session, replays: 2, idleMs: 1 };
    const record = { ...session.record, generation: CURRENT + 1, rotatedAtMs: NOW_MS };
    expect(rotate(CURRENT, NOW_MS, stored)).toEqual({
      outcome: { outcome: 'rotated', session: record, nowMs: NOW_MS },
      change: { record, idleMs: IDLE_MS, replays: 0, isEnded: false },
    });
  });

  it('rolls forward to a token that is ahead of the store, up to rollForwardLimit', () => {
    const furthestGeneration = CURRENT + LIMITS.rollForwardLimit;
    expect(rotate(furthestGeneration, NOW_MS)).toMatchObject({
      outcome: { outcome: 'rolled_forward', session: { generation: furthestGeneration + 1 } },
      change: { record: { generation: furthestGeneration + 1 } },
    });
    expect(rotate(furthestGeneration + 1, NOW_MS)).toEqual(unchangedWith('unknown'));
  });

  it('replays the predecessor within the grace up to replayLimit times, then returns busy', () => {
    expect(rotate(CURRENT - 1, GRACE_ENDS_AT_MS)).toEqual({
      outcome: { outcome: 'replayed', session: session.record, nowMs: GRACE_ENDS_AT_MS },
      change: { ...session, replays: 1 },
    });
    const exhaustedSession = { ...session, replays: LIMITS.replayLimit };
    expect(rotate(CURRENT - 1, GRACE_ENDS_AT_MS, exhaustedSession)).toEqual(unchangedWith('busy'));
  });

  it('ends the session if the token is older, or is the predecessor after the grace', () => {
    const reuseResult = { outcome: { outcome: 'reused' }, change: { ...session, isEnded: true } };
    expect(rotate(CURRENT - 1, GRACE_ENDS_AT_MS + 1)).toEqual(reuseResult);
    expect(rotate(CURRENT - 2, ROTATED_AT_MS)).toEqual(reuseResult);
  });

  it('rejects a session that is unknown, revoked or expired', () => {
    expect(decideRotation(undefined, requestFor(CURRENT), NOW_MS)).toEqual(
      unchangedWith('unknown'),
    );
    expect(rotate(CURRENT, NOW_MS, { ...session, isEnded: true })).toEqual(
      unchangedWith('revoked'),
    );
    const idleEndsAtMs = ROTATED_AT_MS + IDLE_MS;
    expect(rotate(CURRENT, idleEndsAtMs - 1).outcome.outcome).toBe('rotated');
    expect(rotate(CURRENT, idleEndsAtMs)).toEqual(unchangedWith('expired'));
    const refreshedSession = sessionState({
      generation: CURRENT,
      rotatedAtMs: SESSION_EXPIRES_AT_MS - 1,
    });
    expect(rotate(CURRENT, SESSION_EXPIRES_AT_MS, refreshedSession)).toEqual(
      unchangedWith('expired'),
    );
  });
});
