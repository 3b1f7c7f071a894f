import { expect, it } from 'vitest';
import { decideRotation } from './decide-rotation.ts';
import { IDLE_MS, sessionState } from './states.test.support.ts';

it('decideRotation rotates to the next generation, and resets idle time and replays', () => {
  const session = sessionState({ generation: 5, rotatedAtMs: 100 }, { replays: 2, idleMs: 1_000 });
  const limits = { graceMs: 60, idleMs: IDLE_MS, replayLimit: 2, rollForwardLimit: 3 };
  const request = { userId: 'ada', sessionId: 's1', generation: 5, ...limits };
  const record = { ...session.record, generation: 6, rotatedAtMs: 150 };
  expect(decideRotation(session, request, 150)).toEqual({
    outcome: { outcome: 'rotated', session: record, nowMs: 150 },
    change: { record, idleMs: IDLE_MS, replays: 0, isEnded: false },
  });
});
