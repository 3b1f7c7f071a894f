import { StorageUnavailableError } from '@latchhook/core/storage';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { runDelivery } from './run-delivery.ts';
import { answered, scheduled, scriptedDeps, started } from './scripted-deps.test.support.ts';

const run = scheduled('msg_1');
const unavailable = () => Promise.reject(new StorageUnavailableError('unavailable'));

/** Each attempt of `run` begins so long after its admission: those that are too late ask again. */
function beginningAfter(delaysMs: readonly number[]) {
  const asked: (number | null)[] = [];
  const admitted: number[] = [];
  const sentOf: number[] = [];
  const deps = scriptedDeps({
    start({ withdrawnStartAtMs }) {
      asked.push(withdrawnStartAtMs);
      admitted.push(Date.now());
      return started();
    },
    async send({ timestampMs, mayBegin }) {
      await vi.advanceTimersByTimeAsync(delaysMs[asked.length - 1] ?? 0);
      if (!mayBegin(0)) return 'too_late';
      sentOf.push(timestampMs);
      return answered(200);
    },
  });
  return { deps, asked, admitted, sentOf };
}

beforeEach(() => {
  vi.useFakeTimers();
  return () => void vi.useRealTimers();
});

describe('the run of a delivery that is late for the rate', () => {
  it('withdraws the attempt, and asks for another in its place', async () => {
    const { deps, asked, admitted, sentOf } = beginningAfter([1, 1, 27, 1_000, 25]);
    for (let nth = 0; nth < 3; nth += 1) {
      expect(await runDelivery(deps, run)).toEqual({ outcome: 'delivered' });
    }
    expect(asked).toEqual([null, null, null, admitted[2], admitted[3]]);
    expect(sentOf).toEqual([admitted[0], admitted[1], admitted[4]]);
  });

  it('counts no time that connecting took', async () => {
    const deps = scriptedDeps({
      async send({ mayBegin }) {
        await vi.advanceTimersByTimeAsync(500);
        return mayBegin(480) ? answered(200) : 'too_late';
      },
    });
    await runDelivery(deps, run);
    expect(deps.calls).toEqual(['start msg_1', 'send msg_1', 'finish msg_1']);
  });

  it('sends in the end where it is late for good', async () => {
    const { deps, asked, sentOf } = beginningAfter(
      Array(20)
        .fill(40)
        .map((ms, nth) => ms + 40 * nth),
    );
    expect(await runDelivery(deps, run)).toEqual({ outcome: 'delivered' });
    expect([asked.length, sentOf.length]).toEqual([8, 1]);
  });

  it('withdraws what was admitted, though the store is unavailable when it asks for another', async () => {
    const asked: (number | null)[] = [];
    let admittedAtMs = 0;
    const deps = scriptedDeps({
      start({ withdrawnStartAtMs }) {
        asked.push(withdrawnStartAtMs);
        if (asked.length === 1) admittedAtMs = Date.now();
        return asked.length > 1 && asked.length < 5 ? unavailable() : started();
      },
      send({ mayBegin }) {
        if (asked.length === 1) vi.advanceTimersByTime(26);
        return mayBegin(0) ? answered(200) : 'too_late';
      },
    });
    const step = runDelivery(deps, run);
    await vi.runAllTimersAsync();
    expect(await step).toEqual({ outcome: 'delivered' });
    expect(asked).toEqual([null, ...Array(4).fill(admittedAtMs)]);
  });

  it('leaves it where the store is unavailable for as long as the lease', async () => {
    const deps = scriptedDeps({
      leaseMs: 2_000,
      start: ({ withdrawnStartAtMs }) => (withdrawnStartAtMs === null ? started() : unavailable()),
      send: () => 'too_late',
    });
    const before = performance.now();
    const step = runDelivery(deps, run);
    await vi.runAllTimersAsync();
    expect(await step).toMatchObject({ outcome: 'store_unavailable', delayMs: 3_500 });
    expect(performance.now() - before).toBeLessThan(2_000);
  });
});
