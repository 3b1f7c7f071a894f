import { describe, expect, it } from 'vitest';
import type { SecurityEvent } from '../ports/security-events.ts';
import { createFactorControl } from './factor-control.ts';

const unknownClient = { clientAddress: null, userAgent: null };

function setup(store?: { remove(userId: string): Promise<boolean> }) {
  const calls: (SecurityEvent | string)[] = [];
  const challenges = { unlock: async (userId: string) => void calls.push(`unlock ${userId}`) };
  const control = createFactorControl(challenges, store, (event) => calls.push(event));
  return { control, calls };
}

describe('removing the factor of a user', () => {
  it('lifts the lock, and emits factor.removed, if the user has a factor', async () => {
    const { control, calls } = setup({ remove: async () => true });
    expect(await control.remove('ada')).toBe(true);
    expect(calls).toEqual([
      { type: 'factor.removed', userId: 'ada', actor: 'host', ...unknownClient },
      'unlock ada',
    ]);
  });

  it('lifts the lock, and emits factor.unlocked, if the user has no factor', async () => {
    const { control, calls } = setup({ remove: async () => false });
    expect(await control.remove('ada')).toBe(false);
    expect(calls).toEqual([
      'unlock ada',
      { type: 'factor.unlocked', userId: 'ada', ...unknownClient },
    ]);
  });

  it('lifts the lock, and emits factor.unlocked, if the storage keeps no factors', async () => {
    const { control, calls } = setup();
    expect(await control.remove('ada')).toBe(false);
    expect(calls).toEqual([
      'unlock ada',
      { type: 'factor.unlocked', userId: 'ada', ...unknownClient },
    ]);
  });
});
