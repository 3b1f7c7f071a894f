import { runInNewContext } from 'node:vm';
import { describe, expect, it, vi } from 'vitest';
import type { SecurityEvent } from '../ports/security-events.ts';
import { createFaultGuard } from './fault-guard.ts';

const mistake = new Error('READONLY');

function scene() {
  const told: SecurityEvent[] = [];
  return { told, guard: createFaultGuard('storage', (event) => void told.push(event)) };
}

describe('a fault guard', () => {
  it('passes on answers, at once or later', async () => {
    const { told, guard } = scene();
    expect(guard((): number | Promise<number> => 7)).toBe(7);
    expect(await guard(async () => 7)).toBe(7);
    expect(told).toEqual([]);
  });

  it.each([
    ['rejects', () => Promise.reject(mistake)],
    [
      'throws',
      () => {
        throw mistake;
      },
    ],
  ])('rejects where a call %s, and emits that once', async (_, call: () => Promise<never>) => {
    const { told, guard } = scene();
    await expect(guard(call)).rejects.toMatchObject({ code: 'temporarily_unavailable' });
    expect(told).toEqual([{ type: 'fault', where: 'storage', error: mistake }]);
  });

  it('rejects where a promise of another realm does, or one never settles', async () => {
    vi.useFakeTimers();
    const { told, guard } = scene();
    const foreign: Promise<never> = runInNewContext('Promise.reject(mistake)', { mistake });
    await expect(guard(() => foreign)).rejects.toMatchObject({ code: 'temporarily_unavailable' });
    const thrown = runInNewContext('({ get then() { throw mistake; } })', { mistake });
    await expect(guard(() => thrown)).rejects.toMatchObject({ code: 'temporarily_unavailable' });
    const silent = runInNewContext('Promise.resolve({ then() {} })');
    const silenced = expect(guard(() => silent)).rejects.toMatchObject({
      code: 'temporarily_unavailable',
    });
    const refused = expect(guard(() => new Promise<never>(() => {}))).rejects.toMatchObject({
      code: 'temporarily_unavailable',
    });
    await vi.advanceTimersByTimeAsync(1_500);
    await refused;
    await silenced;
    expect(told).toHaveLength(4);
    vi.useRealTimers();
  });
});
