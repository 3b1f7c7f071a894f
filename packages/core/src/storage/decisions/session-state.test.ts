import { expect, it } from 'vitest';
import { liveSessions } from './session-state.ts';
import { sessionState } from './states.test.support.ts';

it('sessions are listed by last rotation and, in the same millisecond, by creation, newest first', () => {
  const inOrderOfCreation = [
    sessionState({ sessionId: 'old', rotatedAtMs: 100 }),
    sessionState({ sessionId: 'ended', rotatedAtMs: 300 }, { isEnded: true }),
    sessionState({ sessionId: 'refreshed', rotatedAtMs: 200 }),
    sessionState({ sessionId: 'new', rotatedAtMs: 100 }),
  ];
  const listed = liveSessions(inOrderOfCreation, 300).map(({ record }) => record.sessionId);
  expect(listed).toEqual(['refreshed', 'new', 'old']);
});
