import { LONGEST_PENDING_MS, type SessionState } from '@latchhook/core/storage';
import { expect, it } from 'vitest';
import { NEW_USER, withoutWhatIsOver, withSessions } from './user-document.ts';

function sessionState(sessionId: string, isEnded: boolean, idleMs = 120_000): SessionState {
  const grant = { userId: 'ada', sessionId, scopes: [], accountId: null, amr: [], authTimeMs: 0 };
  const times = { createdAtMs: 0, expiresAtMs: 120_000, rotatedAtMs: 0, generation: 1 };
  const record = { ...grant, ...times, clientAddress: null, userAgent: null };
  return { record, idleMs, replays: 0, isEnded };
}

it('keeps all that live, and of those that ended the newest hundred', () => {
  const ended = Array.from({ length: 103 }, (_, nth) => sessionState(`ended ${nth}`, true));
  const user = withSessions(NEW_USER, [
    sessionState('first', false),
    ...ended,
    sessionState('last', false),
    sessionState('idle', false, 1000),
  ]);
  const kept = withoutWhatIsOver(user, 1000 + LONGEST_PENDING_MS).sessions.map(
    ({ record }) => record.sessionId,
  );
  const newest = ended.slice(3).map(({ record }) => record.sessionId);
  expect(kept).toEqual(['first', ...newest, 'last']);
});
