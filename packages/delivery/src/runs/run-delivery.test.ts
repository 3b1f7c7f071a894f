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

  it('has a free slot as soon as its attempt was sent, while its end is being stored', async () => {
    const deps = scriptedDeps({ slots: 30, finish: () => new Promise(() => {}) });
    for (let nth = 0; nth < 10; nth += 1) deps.slots.tryAcquire(run.accountId);
    const sent = new Promise<void>((resolve) => void runDelivery(deps, run, resolve));
    await sent;
    expect(deps.calls).toEqual(['start msg_1', 'send msg_1', 'finish msg_1']);
    expect(deps.slots.tryAcquire(run.accountId)).toBe(true);
    expect(deps.slots.tryAcquire(run.accountId)).toBe(false);
  });

  it('says of nothing that was not sent that it was', async () => {
    const deps = scriptedDeps({ start: () => ({ outcome: 'over' }) });
    const onSent = vi.fn();
    await runDelivery(deps, run, onSent);
    expect(onSent).not.toHaveBeenCalled();
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
      start: () => ({ outcome: 'deferred', delayMs: 123, reason: 'rate', next: null }),
    });
    expect(step).toEqual({ outcome: 'wait', delayMs: 123 });
    expect(deps.calls).toEqual(['start msg_1']);
  });

  it.each(['held', 'over'] as const)('is done when the delivery is %s', async (outcome) => {
    const { step } = await stepOf({ start: () => ({ outcome }) });
    expect(step).toEqual({ outcome });
  });

  it('starts who is next where the delivery was lost, and did not start', async () => {
    const next = scheduled('msg_2');
    const { deps } = await stepOf({ start: () => ({ outcome: 'over', next }) });
    expect(deps.calls).toEqual(['start msg_1', 'next msg_2']);
  });

  it('emits that a delivery is dead that killed everyone who tried it', async () => {
    const { step, deps } = await stepOf({ start: () => ({ outcome: 'poisoned', next: null }) });
    expect(step).toEqual({ outcome: 'dead', reason: 'poison' });
    expect(deps.events).toMatchObject([{ type: 'delivery.dead', reason: 'poison' }]);
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

  it('is done with the last try, and emits that and the webhook that it disabled', async () => {
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
