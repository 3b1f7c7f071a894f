import { describe, expect, it } from 'vitest';
import type { SecurityEvent } from '../ports/telemetry.ts';
import { memoryStorage } from '../storage/memory/memory-storage.ts';
import { createSessionControl } from './session-control.ts';

describe('ending sessions on purpose', () => {
  it('is told once a session, whoever asks, and not where there was nothing to end', async () => {
    const events: SecurityEvent[] = [];
    const control = createSessionControl(memoryStorage().sessions, (event) => events.push(event));
    expect(await control.revoke('ada', 'unknown')).toBe(false);
    await control.revokeAll('ada');
    expect(events).toEqual([{ type: 'sessions.revoked_all', userId: 'ada' }]);
  });

  it('does not touch a login that begins once all has been ended, however soon', async () => {
    const { sessions } = memoryStorage();
    const login = {
      userId: 'ada',
      sessionId: 's1',
      scopes: [],
      accountId: null,
      amr: ['pwd'],
      authTimeMs: 0,
      clientAddress: null,
      userAgent: null,
      idleMs: 1000,
      absoluteMs: 1000,
      // As much as rounding up makes of no time at all.
      authenticationMs: 1,
    };
    await createSessionControl(sessions, () => {}).revokeAll('ada');
    expect(await sessions.create(login, { maxPerUser: 1 })).toMatchObject({ outcome: 'created' });
  });
});
