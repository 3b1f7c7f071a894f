import { describe, expect, it } from 'vitest';
import { decideSessionCreation } from './decide-session-creation.ts';
import { IDLE_MS, SESSION_EXPIRES_AT_MS, sessionState } from './states.test.support.ts';

const { createdAtMs, expiresAtMs, rotatedAtMs, generation, ...grant } = sessionState().record;
const login = {
  ...grant,
  idleMs: IDLE_MS,
  absoluteMs: SESSION_EXPIRES_AT_MS,
  loginAgeMs: 20,
};
const NOW_MS = 200;
const BEGAN_AT_MS = NOW_MS - login.loginAgeMs;

function create(revokedAllAtMs?: number) {
  return decideSessionCreation({ sessions: [], revokedAllAtMs }, login, { maxPerUser: 3 }, NOW_MS);
}

describe('the session of a login', () => {
  it('begins at generation 1, with only the fields of a session record', () => {
    const record = {
      ...grant,
      createdAtMs: NOW_MS,
      expiresAtMs: NOW_MS + SESSION_EXPIRES_AT_MS,
      rotatedAtMs: NOW_MS,
      generation: 1,
    };
    expect(create()).toEqual({
      outcome: { outcome: 'created', session: record },
      change: [{ record, idleMs: IDLE_MS, replays: 0, isEnded: false }],
    });
  });

  it('has its own copies of the scopes and amr of the login', () => {
    const [session] = create().change ?? [];
    expect(session?.record.scopes).not.toBe(login.scopes);
    expect(session?.record.amr).not.toBe(login.amr);
  });

  it('is rejected as stale_login if all sessions were revoked in or after the millisecond in which the login began', () => {
    const staleLogin = { outcome: { outcome: 'stale_login' }, change: null };
    expect(create(BEGAN_AT_MS)).toEqual(staleLogin);
    expect(create(BEGAN_AT_MS + 1)).toEqual(staleLogin);
    expect(create(BEGAN_AT_MS - 1).outcome.outcome).toBe('created');
  });
});
