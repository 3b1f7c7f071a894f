import { describe, expect, it } from 'vitest';
import type { SecurityEvent } from '../ports/security-events.ts';
import { createFactorControl } from './factor-control.ts';

const unknownClient = { clientAddress: null, userAgent: null };

function controlOf(kept?: { remove(userId: string): Promise<boolean> }) {
  const calls: (SecurityEvent | string)[] = [];
  const challenges = { unlock: async (userId: string) => void calls.push(`unlock ${userId}`) };
  const control = createFactorControl(challenges, kept, (event) => calls.push(event));
  return { control, calls };
}

describe('removing a factor for a user', () => {
  it('lifts the lock, too', async () => {
    const { control, calls } = controlOf({ remove: async () => true });
    expect(await control.remove('ada')).toBe(true);
    expect(calls).toEqual([
      { type: 'factor.removed', userId: 'ada', actor: 'host', ...unknownClient },
      'unlock ada',
    ]);
  });

  it('lifts the lock even if the factor was removed before', async () => {
    const { control, calls } = controlOf({ remove: async () => false });
    expect(await control.remove('ada')).toBe(false);
    expect(calls).toEqual([
      'unlock ada',
      { type: 'factor.unlocked', userId: 'ada', ...unknownClient },
    ]);
  });

  it('lifts the lock if the storage keeps no factors', async () => {
    const { control, calls } = controlOf();
    expect(await control.remove('ada')).toBe(false);
    expect(calls).toEqual([
      'unlock ada',
      { type: 'factor.unlocked', userId: 'ada', ...unknownClient },
    ]);
  });
});
