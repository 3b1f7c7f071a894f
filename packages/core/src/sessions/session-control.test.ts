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
});
