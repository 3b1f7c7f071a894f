import { describe, expect, it } from 'vitest';
import { DEFAULT_THROTTLE } from '../options/resolve-throttle.ts';
import { systemClock } from '../ports/clock.ts';
import type { LimiterFactory } from '../storage/limiter.ts';
import { type AroundCall, mapMethods } from '../storage/map-methods.ts';
import { memoryLimiters } from '../storage/memory/memory-limiter.ts';
import { STORE_METHODS } from '../storage/store-methods.ts';
import { createLoginThrottle, type LoginThrottle } from './login-throttle.ts';

const NAME = 'ada@example.com';
const STRANGER = '198.51.100.7';

const processOn = (limiters: LimiterFactory): LoginThrottle =>
  createLoginThrottle(limiters, DEFAULT_THROTTLE, systemClock);

/** The same counters, over a connection that passes each call to a function. */
function connectionTo(
  limiters: LimiterFactory,
  callsOf: (keyPrefix: string) => AroundCall,
): LimiterFactory {
  return (options) =>
    mapMethods(limiters(options), STORE_METHODS.limiters, callsOf(options.keyPrefix));
}

async function fail(throttle: LoginThrottle, times: number): Promise<void> {
  for (let nth = 0; nth < times; nth += 1) {
    const admission = await throttle.admit(NAME, STRANGER);
    if (admission.outcome === 'throttled') throw new Error(`throttled by ${admission.reason}`);
    await throttle.failed(admission.login);
  }
}

describe('login throttling over processes', () => {
  it.each([1, 2])(
    'rejects a login whose read of the failures arrives after the tenth (parallel failures: %i)',
    async (parallelFailures) => {
      const limiters = memoryLimiters();
      const first = processOn(limiters);
      await fail(first, 9);
      const pending = await Promise.all(
        Array.from({ length: parallelFailures }, () => first.admit(NAME, STRANGER)),
      );
      let releaseCount = () => {};
      const countReleased = new Promise<void>((resolve) => {
        releaseCount = resolve;
      });
      // At a login in the second process, the read of the failures reaches the store late; its other reads do not.
      const second = processOn(
        connectionTo(limiters, (keyPrefix) => async (call) => {
          if (keyPrefix === 'throttle:streak') await countReleased;
          return call();
        }),
      );
      const admission = second.admit(NAME, STRANGER);
      for (const pendingLogin of pending) {
        if (pendingLogin.outcome === 'admitted') await first.failed(pendingLogin.login);
      }
      releaseCount();
      expect(await admission).toMatchObject({ outcome: 'throttled', reason: 'identifier' });
    },
  );

  it('locks even if the process that counted the tenth failure is killed right then', async () => {
    const limiters = memoryLimiters();
    let isKilled = false;
    const first = processOn(
      connectionTo(limiters, () => (call, name) => {
        if (isKilled) return new Promise(() => {});
        return Promise.resolve(call()).then((reply) => {
          const isTenth = name.startsWith('penalty') && consumedPoints(reply) === 10;
          if (isTenth) isKilled = true;
          return reply;
        });
      }),
    );
    await fail(first, 9);
    const admission = await first.admit(NAME, STRANGER);
    if (admission.outcome === 'admitted') void first.failed(admission.login);
    await expect.poll(() => isKilled).toBe(true);
    expect(await processOn(limiters).admit(NAME, STRANGER)).toMatchObject({
      outcome: 'throttled',
      reason: 'identifier',
      retryAfterMs: expect.any(Number),
    });
  });
});

function consumedPoints(reply: unknown): unknown {
  return Reflect.get(Object(reply), 'consumedPoints');
}
