import { describe, expect, it } from 'vitest';
import type { SecurityEvent } from '../ports/security-events.ts';
import { createFactorControl } from './factor-control.ts';

const nowhere = { clientAddress: null, userAgent: null };

function controlOf(kept?: { remove(userId: string): Promise<boolean> }) {
  const told: (SecurityEvent | string)[] = [];
  const challenges = { unlock: async (userId: string) => void told.push(`unlock ${userId}`) };
  const control = createFactorControl(challenges, kept, (event) => told.push(event));
  return { control, told };
}

describe('removing a factor for a user', () => {
  it('lifts the lock too, which would also block the next factor', async () => {
    const { control, told } = controlOf({ remove: async () => true });
    expect(await control.remove('ada')).toBe(true);
    expect(told).toEqual([
      { type: 'factor.removed', userId: 'ada', actor: 'host', ...nowhere },
      'unlock ada',
    ]);
  });

  it('lifts the lock when it is repeated because that had failed', async () => {
    const { control, told } = controlOf({ remove: async () => false });
    expect(await control.remove('ada')).toBe(false);
    expect(told).toEqual(['unlock ada', { type: 'factor.unlocked', userId: 'ada', ...nowhere }]);
  });

  it('lifts the lock where the storage keeps no factors', async () => {
    const { control, told } = controlOf();
    expect(await control.remove('ada')).toBe(false);
    expect(told).toEqual(['unlock ada', { type: 'factor.unlocked', userId: 'ada', ...nowhere }]);
  });
});
