import { describe, expect, it } from 'vitest';
import { decideRotation } from './decide-rotation.ts';
import { sessionState } from './states.test.support.ts';

const session = sessionState({ generation: 5, rotatedAtMs: 100 });

function presenting(generation: number) {
  const limits = { graceMs: 60, idleMs: 5000, replayLimit: 2, rollForwardLimit: 3 };
  return { userId: 'ada', sessionId: 's1', generation, ...limits };
}

const rotate = (generation: number, nowMs: number, kept = session) =>
  decideRotation(kept, presenting(generation), nowMs);

describe('what becomes of a session at which a refresh token is presented', () => {
  it('is the next generation, with its idle time and its replays counted from zero', () => {
    const kept = { ...session, replays: 2, idleMs: 1 };
    const record = { ...session.record, generation: 6, rotatedAtMs: 150 };
    expect(rotate(5, 150, kept)).toEqual({
      answer: { outcome: 'rotated', session: record, nowMs: 150 },
      change: { record, idleMs: 5000, replays: 0, isEnded: false },
    });
  });

  it('follows a token that is ahead, as far as the limit', () => {
    expect(rotate(8, 150)).toMatchObject({
      answer: { outcome: 'rolled_forward', session: { generation: 9 } },
      change: { record: { generation: 9 } },
    });
    expect(rotate(9, 150)).toEqual({ answer: { outcome: 'unknown' }, change: null });
  });

  it('is a replay for the immediate predecessor within the grace, and counts as that alone', () => {
    expect(rotate(4, 160)).toEqual({
      answer: { outcome: 'replayed', session: session.record, nowMs: 160 },
      change: { ...session, replays: 1 },
    });
    const busy = { answer: { outcome: 'busy' }, change: null };
    expect(rotate(4, 160, { ...session, replays: 2 })).toEqual(busy);
  });

  it('is its end for an older token, and for the predecessor after the grace', () => {
    const reused = { answer: { outcome: 'reused' }, change: { ...session, isEnded: true } };
    expect(rotate(4, 161)).toEqual(reused);
    expect(rotate(3, 100)).toEqual(reused);
  });

  it('is not rotated if it is unknown or over', () => {
    const nothing = (outcome: string) => ({ answer: { outcome }, change: null });
    expect(decideRotation(undefined, presenting(5), 150)).toEqual(nothing('unknown'));
    expect(rotate(5, 150, { ...session, isEnded: true })).toEqual(nothing('revoked'));
    expect(rotate(5, 5099).answer.outcome).toBe('rotated');
    expect(rotate(5, 5100)).toEqual(nothing('expired'));
    const old = sessionState({ generation: 5, rotatedAtMs: 9999 });
    expect(rotate(5, 10_000, old)).toEqual(nothing('expired'));
  });
});
