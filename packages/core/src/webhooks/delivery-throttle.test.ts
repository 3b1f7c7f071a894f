import { describe, expect, it } from 'vitest';
import { memoryLimiters } from '../storage/memory/memory-limiter.ts';
import { createDeliveryThrottle } from './delivery-throttle.ts';

describe('what an account may have sent in a minute', () => {
  it.each([
    ['admitPing', 120, 'admitResend'],
    ['admitResend', 300, 'admitPing'],
  ] as const)(
    '%s: %i, over all processes, and no other account less for it',
    async (admit, max, other) => {
      const limiters = memoryLimiters();
      const processes = [
        createDeliveryThrottle(limiters),
        createDeliveryThrottle(limiters),
      ] as const;
      for (let count = 0; count < max; count += 2) {
        for (const each of processes) await each[admit](1);
      }
      for (const each of processes) {
        await expect(each[admit](1)).rejects.toMatchObject({
          code: 'too_many_requests',
          details: { retryAfterSeconds: expect.any(Number) },
        });
        await each[other](1);
        await each[admit](2);
      }
    },
  );
});
