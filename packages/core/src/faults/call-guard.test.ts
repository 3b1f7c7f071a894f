import { runInNewContext } from 'node:vm';
import { describe, expect, it, vi } from 'vitest';
import type { SecurityEvent } from '../ports/security-events.ts';
import { createCallGuard } from './call-guard.ts';
import { emitFaultOf } from './emit-fault-of.ts';

const CALL_TIMEOUT_MS = 1_500;

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

  it.each([
    ['a promise of another realm rejects', 'Promise.reject(mistake)'],
    ['the `then` getter of a thenable throws', '({ get then() { throw mistake; } })'],
  ])('rejects and emits one fault if %s', async (_, script) => {
    const { events, callStorage } = fixture();
    const foreign: Promise<never> = runInNewContext(script, { mistake });
    await expect(callStorage(() => foreign)).rejects.toMatchObject({
      code: 'temporarily_unavailable',
    });
    expect(events).toHaveLength(1);
  });

  it.each([
    ['a promise', () => new Promise<never>(() => {})],
    ['a thenable of another realm', () => runInNewContext('Promise.resolve({ then() {} })')],
  ])('rejects and emits one fault after 1.5 s if %s never settles', async (_, call) => {
    vi.useFakeTimers();
    const { events, callStorage } = fixture();
    const rejection = expect(callStorage(call)).rejects.toMatchObject({
      code: 'temporarily_unavailable',
    });
    await vi.advanceTimersByTimeAsync(CALL_TIMEOUT_MS);
    await rejection;
    expect(events).toHaveLength(1);
    vi.useRealTimers();
  });
});
