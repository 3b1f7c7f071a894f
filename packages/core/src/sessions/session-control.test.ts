import { describe, expect, it } from 'vitest';
import { UNKNOWN_CLIENT } from '../client-info/client-info.ts';
import type { SecurityEvent } from '../ports/security-events.ts';
import { memoryStorage } from '../storage/memory/memory-storage.ts';
import type { NewLogin } from '../storage/session-store.ts';
import { createSessionControl } from './session-control.ts';

const curl = { clientAddress: '192.0.2.1', userAgent: 'curl' };

function login(sessionId: string): NewLogin {
  return {
    userId: 'ada',
    sessionId,
    scopes: [],
    accountId: null,
    amr: ['pwd'],
    authTimeMs: 0,
    ...UNKNOWN_CLIENT,
    idleMs: 1000,
    absoluteMs: 1000,
    // The least duration, because durations are rounded up.
    loginAgeMs: 1,
  };
}

describe('session control', () => {
  it('emits one event for each revocation, and none for an unknown session', async () => {
    const events: SecurityEvent[] = [];
    const control = createSessionControl(
      memoryStorage().sessions,
      (event) => events.push(event),
      'user',
    );
    expect(await control.revoke('ada', 'unknown')).toBe(false);
    await control.revokeAll('ada');
    await control.revokeOthers('ada', 's1', curl);
    expect(events).toEqual([
      { type: 'sessions.revoked_all', userId: 'ada', actor: 'user', ...UNKNOWN_CLIENT },
      {
        type: 'sessions.revoked_others',
        userId: 'ada',
        sessionId: 's1',
        actor: 'user',
        ...curl,
      },
    ]);
  });

  it('resolves a revocation of all or other sessions after a pause of 25 ms', async () => {
    const pauses: number[] = [];
    const pause = async (ms: number): Promise<void> => void pauses.push(ms);
    const control = createSessionControl(memoryStorage().sessions, () => {}, 'host', pause);
    await control.revokeAll('ada');
    await control.revokeOthers('ada', 's1');
    expect(pauses).toEqual([25, 25]);
  });

  it('does not end a login that begins right after a revocation', async () => {
    const { sessions } = memoryStorage();
    const control = createSessionControl(sessions, () => {}, 'host');
    await control.revokeAll('ada');
    const limits = { maxPerUser: 2 };
    expect(await sessions.create(login('s1'), limits)).toMatchObject({ outcome: 'created' });
    await control.revokeOthers('ada', 's1');
    expect(await sessions.create(login('s2'), limits)).toMatchObject({ outcome: 'created' });
    expect(await control.list('ada')).toHaveLength(2);
  });
});
