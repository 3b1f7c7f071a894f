import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { memoryLimiters } from '../../storage/memory/memory-limiter.ts';
import { createDeliveryQuotas } from './delivery-quotas.ts';

describe('delivery quotas', () => {
  it.each([
    ['admitPing', 120, 'admitResend'],
    ['admitResend', 300, 'admitPing'],
  ] as const)(
    '%s admits %i calls a minute over all processes, separately for each account',
    async (admit, max, other) => {
      const limiters = memoryLimiters();
      const processes = [createDeliveryQuotas(limiters), createDeliveryQuotas(limiters)] as const;
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

  it('admit 1,000 pings a day, not counting pings that the minute quota rejects', async () => {
    vi.useFakeTimers({ now: 0 });
    onTestFinished(() => void vi.useRealTimers());
    const { admitPing } = createDeliveryQuotas(memoryLimiters());
    let admitted = 0;
    const ping = () => admitPing(1).then(() => (admitted += 1), String);
    for (let minute = 0; minute < 8; minute += 1) {
      for (let count = 0; count < 130; count += 1) await ping();
      expect(admitted).toBe(120 * (minute + 1));
      vi.advanceTimersByTime(60_000);
    }
    for (let count = 0; count < 50; count += 1) await ping();
    expect(admitted).toBe(1_000);
    await expect(admitPing(2)).resolves.toBeUndefined();
    for (const [hours, most] of [
      [23, 1_000],
      [1, 1_001],
    ] as const) {
      vi.advanceTimersByTime(hours * 3_600_000);
      await ping();
      expect(admitted).toBe(most);
    }
  });
});
