import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { memoryLimiters } from '../../storage/memory/memory-limiter.ts';
import { createDeliveryQuotas } from './delivery-quotas.ts';

describe('delivery quotas', () => {
  it.each([
    ['admitPing', 120, 'admitResend'],
    ['admitResend', 300, 'admitPing'],
  ] as const)(
    '%s admits %i calls a minute for each account, over all processes',
    async (admit, max, other) => {
      const limiters = memoryLimiters();
      const processes = [createDeliveryQuotas(limiters), createDeliveryQuotas(limiters)] as const;
      for (let count = 0; count < max; count += processes.length) {
        for (const quotas of processes) await quotas[admit](1);
      }
      for (const quotas of processes) {
        await expect(quotas[admit](1)).rejects.toMatchObject({
          code: 'too_many_requests',
          details: { retryAfterSeconds: expect.any(Number) },
        });
        await quotas[other](1);
        await quotas[admit](2);
      }
    },
  );

  it('admit 1,000 pings a day, without counting pings that the quota for a minute rejects', async () => {
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
    // Of the quota for the day, 1,000 - 8 * 120 = 40 are left.
    for (let count = 0; count < 50; count += 1) await ping();
    expect(admitted).toBe(1_000);
    await expect(admitPing(2)).resolves.toBeUndefined();
    // The day began with the first ping, so it ends within the 24th hour from now.
    for (const [hours, expected] of [
      [23, 1_000],
      [1, 1_001],
    ] as const) {
      vi.advanceTimersByTime(hours * 3_600_000);
      await ping();
      expect(admitted).toBe(expected);
    }
  });
});
