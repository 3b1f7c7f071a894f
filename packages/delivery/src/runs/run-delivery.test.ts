import { StorageUnavailableError } from '@latchhook/core/storage';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { runDelivery, turnAway } from './run-delivery.ts';
import {
  answered,
  type Script,
  scheduled,
  scriptedDeps,
  started,
} from './scripted-deps.test.support.ts';
import { storedDeps } from './stored-deliveries.test.support.ts';

const run = scheduled('msg_1');
const unavailable = () => Promise.reject(new StorageUnavailableError('unavailable'));

async function stepOf(script: Script) {
  const deps = scriptedDeps(script);
  return { step: await runDelivery(deps, run), deps };
}

beforeEach(() => {
  vi.useFakeTimers();
  return () => void vi.useRealTimers();
});

const storeUnavailable = { outcome: 'store_unavailable', delayMs: 3_500 };

describe('the run of a delivery', () => {
  it('starts, sends and finishes, and is done when it was delivered', async () => {
    const deps = await storedDeps(['msg_1']);
    expect(await runDelivery(deps, run)).toEqual({ outcome: 'delivered' });
    expect(deps.calls).toEqual(['send msg_1']);
    const attempts = [{ attempt: 1, status: 200, error: null }];
    expect(await deps.recordOf('msg_1')).toMatchObject({ state: 'delivered', attempts });
  });

  it('comes back later where its account has its share of the slots, and nobody can wait for one', () => {
    const deps = scriptedDeps({ slots: 30 });
    for (let nth = 0; nth < 10; nth += 1) deps.slots.tryAcquire(run.accountId);
    expect(turnAway(deps, run)).toEqual({ outcome: 'wait', delayMs: 500 });
    expect(deps.calls).toEqual([]);
  });

  it('begins who is next once its own slot is free', async () => {
    const deps = scriptedDeps({
      slots: 30,
      finish: () => ({
        outcome: 'finished',
        state: 'delivered',
        disabled: null,
        next: scheduled('msg_2'),
      }),
    });
    for (let nth = 0; nth < 10; nth += 1) deps.slots.tryAcquire(run.accountId);
    const free: boolean[] = [];
    await runDelivery({ ...deps, startNext: () => void free.push(deps.slots.tryAcquire(1)) }, run);
    expect(free).toEqual([true]);
  });

  it('begins who is woken by its start while its attempt is in flight', async () => {
    const admitted = () => ({ ...started(), next: scheduled('msg_2') });
    const { deps } = await stepOf({ start: admitted });
    expect(deps.calls).toEqual(['start msg_1', 'send msg_1', 'next msg_2', 'finish msg_1']);
  });

  it('asks the store only when it could send at once', async () => {
    let prepared = () => {};
    const deps = scriptedDeps({ ready: () => new Promise((resolve) => (prepared = resolve)) });
    const step = runDelivery(deps, run);
    await vi.runAllTimersAsync();
    expect(deps.calls).toEqual([]);
    prepared();
    expect(await step).toEqual({ outcome: 'delivered' });
  });

  it('logs of an attempt what the log is for, and nothing else', async () => {
    const { deps } = await stepOf({});
    expect(deps.finishes[0]?.result).toEqual({
      status: 200,
      durationMs: 3,
      error: null,
      response: '',
    });
  });

  it('asks again when the store says, and sends nothing meanwhile', async () => {
    const { step, deps } = await stepOf({
      start: () => ({ outcome: 'deferred', delayMs: 123, by: 'rate', next: null }),
    });
    expect(step).toEqual({ outcome: 'wait', delayMs: 123 });
    expect(deps.calls).toEqual(['start msg_1']);
  });

  it.each(['held', 'over'] as const)('is done when the delivery is %s', async (outcome) => {
    const { step } = await stepOf({ start: () => ({ outcome }) });
    expect(step).toEqual({ outcome });
  });

  it('tells of a delivery that killed everyone who tried it', async () => {
    const { step, deps } = await stepOf({ start: () => ({ outcome: 'poisoned', next: null }) });
    expect(step).toEqual({ outcome: 'dead', reason: 'poison' });
    expect(deps.events).toMatchObject([{ type: 'delivery.dead', reason: 'poison' }]);
  });

  describe('that is late for the rate', () => {
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

    it('withdraws the attempt, and asks for another in its place', async () => {
      const { deps, asked, admitted, sentOf } = beginningAfter([1, 1, 27, 1_000, 26]);
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
        start: ({ withdrawnStartAtMs }) =>
          withdrawnStartAtMs === null ? started() : unavailable(),
        send: () => 'too_late',
      });
      const before = performance.now();
      const step = runDelivery(deps, run);
      await vi.runAllTimersAsync();
      expect(await step).toMatchObject({ outcome: 'store_unavailable', delayMs: 3_500 });
      expect(performance.now() - before).toBeLessThan(2_000);
    });
  });

  it('has each of a hundred ask where the store fails at once', async () => {
    const { asks, steps } = await hundredFailing(0);
    expect(asks).toBe(100);
    expect(steps).toEqual(Array(100).fill(storeUnavailable));
  });

  it('has those wait that have not asked yet where the store takes long to fail', async () => {
    const { asks, steps } = await hundredFailing(1_000);
    expect(asks).toBe(16);
    expect(steps).toEqual(Array(100).fill(storeUnavailable));
  });

  it('names what an attempt failed with that counts', async () => {
    const { step } = await stepOf({ send: () => answered(500) });
    expect(step).toEqual({ outcome: 'retry', delayMs: 5_000, reason: 'status 500' });
    const refused = { ...answered(500), status: null, error: 'connection_refused' } as const;
    expect((await stepOf({ send: () => refused })).step).toMatchObject({
      reason: 'connection_refused',
    });
  });

  it('is done with the last try, and tells of it and of the webhook that it disabled', async () => {
    const { step, deps } = await stepOf({
      start: () => started(9),
      send: () => answered(500),
      finish: () => ({ outcome: 'finished', state: 'dead', disabled: 'failing', next: null }),
    });
    expect(step).toEqual({ outcome: 'dead', reason: 'exhausted' });
    expect(deps.events).toEqual([
      { type: 'webhook.disabled', accountId: 1, webhookId: 'wh_1', reason: 'failing' },
      {
        type: 'delivery.dead',
        accountId: 1,
        webhookId: 'wh_1',
        deliveryId: 'msg_1',
        reason: 'exhausted',
      },
    ]);
  });

  it.each([
    ['of its receiver', answered(500)],
    ['of ours', { ...answered(500), error: 'sender_failed' as const }],
  ])('is done where the webhook is disabled by the end of a failure %s', async (_, result) => {
    const { step } = await stepOf({
      send: () => result,
      finish: () => ({ outcome: 'finished', state: 'held', disabled: null, next: null }),
    });
    expect(step).toEqual({ outcome: 'held' });
  });

  it('asks again in a few seconds where the store cannot be asked to start', async () => {
    const { step, deps } = await stepOf({ start: unavailable });
    expect(step).toEqual(storeUnavailable);
    expect(deps.calls).toEqual(['start msg_1']);
  });

  it('repeats a finish until the store takes it, so that what arrived is not sent twice', async () => {
    let failures = 4;
    const deps = scriptedDeps({
      finish: () => {
        failures -= 1;
        if (failures >= 0) return unavailable();
        return { outcome: 'finished', state: 'delivered', disabled: null, next: null };
      },
    });
    const step = runDelivery(deps, run);
    await vi.runAllTimersAsync();
    expect(await step).toEqual({ outcome: 'delivered' });
    expect(deps.calls.filter((call) => call.startsWith('send'))).toHaveLength(1);
  });

  it('gives a finish up before the lease is over', async () => {
    const deps = scriptedDeps({ finish: unavailable, leaseMs: 2_000 });
    const before = performance.now();
    const step = runDelivery(deps, run);
    await vi.runAllTimersAsync();
    expect(await step).toEqual(storeUnavailable);
    expect(performance.now() - before).toBeLessThan(2_000);
  });

  it('asks how things stand where its finish came too late', async () => {
    const { step, deps } = await stepOf({
      send: () => answered(410),
      finish: () => ({ outcome: 'stale' }),
    });
    expect(step).toEqual({ outcome: 'wait', delayMs: 1_000 });
    expect(deps.events).toEqual([]);
  });
});

/** A hundred deliveries at once, of a store that fails after so long. */
async function hundredFailing(failsAfterMs: number) {
  const deps = scriptedDeps({
    async start() {
      await new Promise((resolve) => setTimeout(resolve, failsAfterMs));
      return unavailable();
    },
  });
  const runs = Promise.all(Array.from({ length: 100 }, () => runDelivery(deps, run)));
  await vi.runAllTimersAsync();
  return { asks: deps.calls.length, steps: await runs };
}
