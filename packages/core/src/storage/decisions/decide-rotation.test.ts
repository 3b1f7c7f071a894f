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

describe('decideRotation', () => {
  it('rotates to the next generation, and resets idle time and replays', () => {
    const kept = { ...session, replays: 2, idleMs: 1 };
    const record = { ...session.record, generation: 6, rotatedAtMs: 150 };
    expect(rotate(5, 150, kept)).toEqual({
      answer: { outcome: 'rotated', session: record, nowMs: 150 },
      change: { record, idleMs: 5000, replays: 0, isEnded: false },
    });
  });

  it('rolls forward to a token that is ahead, up to rollForwardLimit', () => {
    expect(rotate(8, 150)).toMatchObject({
      answer: { outcome: 'rolled_forward', session: { generation: 9 } },
      change: { record: { generation: 9 } },
    });
    expect(rotate(9, 150)).toEqual({ answer: { outcome: 'unknown' }, change: null });
  });

  it('counts a replay of the predecessor within the grace, and returns busy at replayLimit', () => {
    expect(rotate(4, 160)).toEqual({
      answer: { outcome: 'replayed', session: session.record, nowMs: 160 },
      change: { ...session, replays: 1 },
    });
    const busy = { answer: { outcome: 'busy' }, change: null };
    expect(rotate(4, 160, { ...session, replays: 2 })).toEqual(busy);
  });

  it('ends the session for an older token, and for the predecessor after the grace', () => {
    const reused = { answer: { outcome: 'reused' }, change: { ...session, isEnded: true } };
    expect(rotate(4, 161)).toEqual(reused);
    expect(rotate(3, 100)).toEqual(reused);
  });

  it('rejects a session that is unknown, revoked or expired', () => {
    const nothing = (outcome: string) => ({ answer: { outcome }, change: null });
    expect(decideRotation(undefined, presenting(5), 150)).toEqual(nothing('unknown'));
    expect(rotate(5, 150, { ...session, isEnded: true })).toEqual(nothing('revoked'));
    expect(rotate(5, 5099).answer.outcome).toBe('rotated');
    expect(rotate(5, 5100)).toEqual(nothing('expired'));
    const old = sessionState({ generation: 5, rotatedAtMs: 9999 });
    expect(rotate(5, 10_000, old)).toEqual(nothing('expired'));
  });
});
