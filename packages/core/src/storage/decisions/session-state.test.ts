import { describe, expect, it } from 'vitest';
import { isSessionAlive, liveSessions, sessionEndsAtMs } from './session-state.ts';
import { sessionState } from './states.test.support.ts';

describe('a stored session', () => {
  it('ends at its idle timeout or its absolute timeout, whichever is earlier', () => {
    expect(sessionEndsAtMs({ rotatedAtMs: 100, expiresAtMs: 900 }, 50)).toBe(150);
    expect(sessionEndsAtMs({ rotatedAtMs: 100, expiresAtMs: 120 }, 50)).toBe(120);
  });

  it('is live before its end time, unless it was revoked', () => {
    const session = sessionState({ rotatedAtMs: 100, expiresAtMs: 900 }, { idleMs: 50 });
    expect(isSessionAlive(session, 149)).toBe(true);
    expect(isSessionAlive(session, 150)).toBe(false);
    expect(isSessionAlive({ ...session, isEnded: true }, 149)).toBe(false);
  });

  it('is listed by last rotation and, in the same millisecond, by creation, newest first', () => {
    const inOrderOfCreation = [
      sessionState({ sessionId: 'old', rotatedAtMs: 100 }),
      sessionState({ sessionId: 'ended', rotatedAtMs: 300 }, { isEnded: true }),
      sessionState({ sessionId: 'refreshed', rotatedAtMs: 200 }),
      sessionState({ sessionId: 'new', rotatedAtMs: 100 }),
    ];
    const listed = liveSessions(inOrderOfCreation, 300).map(({ record }) => record.sessionId);
    expect(listed).toEqual(['refreshed', 'new', 'old']);
  });
});
