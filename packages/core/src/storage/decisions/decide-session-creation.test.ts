import { describe, expect, it } from 'vitest';
import { decideSessionCreation } from './decide-session-creation.ts';
import type { SessionState } from './session-state.ts';
import { sessionState } from './states.test.support.ts';

const { createdAtMs, expiresAtMs, rotatedAtMs, generation, ...grant } = sessionState().record;
const login = { ...grant, idleMs: 5000, absoluteMs: 10_000, authenticationMs: 20 };

function create(sessions: readonly SessionState[], revokedAllAtMs?: number, nowMs = 200) {
  return decideSessionCreation({ sessions, revokedAllAtMs }, login, { maxPerUser: 3 }, nowMs);
}

const named = (sessionId: string, rotated: number) =>
  sessionState({ sessionId, rotatedAtMs: rotated });

describe('the session of a login', () => {
  it('begins at generation 1, with only the fields of a session record', () => {
    const record = {
      ...grant,
      createdAtMs: 200,
      expiresAtMs: 10_200,
      rotatedAtMs: 200,
      generation: 1,
    };
    expect(create([])).toEqual({
      answer: { outcome: 'created', session: record },
      change: [{ record, idleMs: 5000, replays: 0, isEnded: false }],
    });
  });

  it('shares no array with the caller', () => {
    const [begun] = create([]).change ?? [];
    expect(begun?.record.scopes).not.toBe(login.scopes);
    expect(begun?.record.amr).not.toBe(login.amr);
  });

  it('is rejected as stale_login if all sessions were revoked since it began, or in that millisecond', () => {
    const stale_login = { answer: { outcome: 'stale_login' }, change: null };
    expect(create([], 180)).toEqual(stale_login);
    expect(create([], 181)).toEqual(stale_login);
    expect(create([], 179).answer.outcome).toBe('created');
  });

  it('is unchanged if it already exists, live or ended', () => {
    const known = sessionState({ generation: 7 }, { isEnded: true });
    expect(create([known])).toEqual({
      answer: { outcome: 'created', session: known.record },
      change: null,
    });
  });

  it('ends the least recently rotated sessions above the cap, and never itself', () => {
    const sessions = [named('a', 200), named('b', 100), named('c', 200), named('d', 200)];
    expect(
      create(sessions).change?.map(({ record, isEnded }) => [record.sessionId, isEnded]),
    ).toEqual([
      ['a', true],
      ['b', true],
      ['s1', false],
    ]);
  });
});
