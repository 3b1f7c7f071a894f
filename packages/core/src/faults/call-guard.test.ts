import { runInNewContext } from 'node:vm';
import { describe, expect, it, vi } from 'vitest';
import type { SecurityEvent } from '../ports/security-events.ts';
import { createCallGuard } from './call-guard.ts';
import { emitFaultOf } from './emit-fault-of.ts';

const mistake = new Error('READONLY');

function fixture() {
  const events: SecurityEvent[] = [];
  return {
    events,
    callStorage: createCallGuard('storage', {
      onFault: (rejection) => emitFaultOf(rejection, (event) => void events.push(event)),
    }),
  };
}

describe('a call guard', () => {
  it('returns the result of a synchronous or asynchronous call', async () => {
    const { events, callStorage } = fixture();
    expect(callStorage((): number | Promise<number> => 7)).toBe(7);
    expect(await callStorage(async () => 7)).toBe(7);
    expect(events).toEqual([]);
  });

  it.each([
    ['rejects', () => Promise.reject(mistake)],
    [
      'throws',
      () => {
        throw mistake;
      },
    ],
  ])('rejects if a call %s, and emits one fault', async (_, call: () => Promise<never>) => {
    const { events, callStorage } = fixture();
    await expect(callStorage(call)).rejects.toMatchObject({ code: 'temporarily_unavailable' });
    expect(events).toEqual([{ type: 'fault', where: 'storage', error: mistake }]);
  });

  it('rejects if a promise of another realm rejects, or if a promise never settles', async () => {
    vi.useFakeTimers();
    const { events, callStorage } = fixture();
    const foreign: Promise<never> = runInNewContext('Promise.reject(mistake)', { mistake });
    await expect(callStorage(() => foreign)).rejects.toMatchObject({
      code: 'temporarily_unavailable',
    });
    const thrown = runInNewContext('({ get then() { throw mistake; } })', { mistake });
    await expect(callStorage(() => thrown)).rejects.toMatchObject({
      code: 'temporarily_unavailable',
    });
    const silent = runInNewContext('Promise.resolve({ then() {} })');
    const silenced = expect(callStorage(() => silent)).rejects.toMatchObject({
      code: 'temporarily_unavailable',
    });
    const rejected = expect(callStorage(() => new Promise<never>(() => {}))).rejects.toMatchObject({
      code: 'temporarily_unavailable',
    });
    await vi.advanceTimersByTimeAsync(1_500);
    await rejected;
    await silenced;
    expect(events).toHaveLength(4);
    vi.useRealTimers();
  });
});
