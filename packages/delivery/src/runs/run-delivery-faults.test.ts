import { describe, expect, it } from 'vitest';
import type { SendResult } from '../send/send-result.ts';
import { runDelivery } from './run-delivery.ts';
import {
  answered,
  type Script,
  scheduled,
  scriptedDeps,
  started,
} from './scripted-deps.test.support.ts';
import { storedDeps } from './stored-deliveries.test.support.ts';

async function stepOf(script: Script) {
  const deps = scriptedDeps(script);
  return { step: await runDelivery(deps, scheduled('msg_1')), deps };
}

describe('the run of a delivery that cannot be sent from here', () => {
  it('counts no attempt that failed by our own doing', async () => {
    const { step } = await stepOf({
      openSecrets: () => {
        throw new Error('no key opens it');
      },
    });
    expect(step).toMatchObject({ outcome: 'wait' });
  });

  it('reports the fault of this process that keeps it from sending, and nothing else', async () => {
    const failed = { ...answered(200), status: null, error: 'sender_failed' } as const;
    const error = new Error('connect ECONNREFUSED');
    const { deps } = await stepOf({ send: () => ({ ...failed, fault: error }) });
    expect(deps.events).toEqual([{ type: 'fault', where: 'delivery', error }]);
    expect(deps.finishes[0]?.result).not.toHaveProperty('fault');
    for (const result of [failed, answered(500)]) {
      expect((await stepOf({ send: () => result })).deps.events).toEqual([]);
    }
  });

  it('logs and reports a sender that rejects', async () => {
    const { deps } = await stepOf({ send: () => Promise.reject(new Error('a bug')) });
    expect(deps.finishes[0]?.verdict.kind).toBe('excused');
    expect(deps.events).toMatchObject([{ type: 'fault', where: 'delivery' }]);
  });

  it('waits as briefly as at first when it is sent again, and then for longer each time', async () => {
    const { deliveries, delaysMs, exhaust } = await deliveryThatFailsHere();
    expect(await delaysMs(2)).toEqual([33_000, 66_000]);
    await exhaust();
    const again = await deliveries.resend(scheduled('msg_1'));
    expect(again).toMatchObject({ scheduled: { run: 2 } });
    expect(await delaysMs(3, 2)).toEqual([33_000, 66_000, 132_000]);
  });

  it('asks for the log where it needs it, and does without it in doubt', async () => {
    const failed = { ...answered(200), status: null, error: 'sender_failed' } as const;
    const outOf = async (run: number, attempt: number, result: SendResult = failed) => {
      const deps = scriptedDeps({
        start: () => ({ ...started(), attempt }),
        send: () => result,
        find: () => Promise.reject(new Error('the store is unavailable')),
      });
      const step = await runDelivery(deps, scheduled('msg_1', 0, run));
      const asked = deps.calls.filter((call) => call.startsWith('find')).length;
      return [asked, 'delayMs' in step && step.delayMs / 1_000];
    };
    expect(await outOf(1, 1)).toEqual([0, 33]);
    expect(await outOf(1, 3)).toEqual([1, 132]);
    // Released, when it had never been tried.
    expect(await outOf(2, 1)).toEqual([0, 33]);
    expect(await outOf(2, 3)).toEqual([1, 132]);
    expect(await outOf(2, 3, answered(500))).toEqual([0, 5]);
  });
});

/** In a storage, and with a key that is not here. */
async function deliveryThatFailsHere() {
  let nowMs = 0;
  const clock = { nowMs: () => nowMs };
  const ref = scheduled('msg_1');
  const openSecrets = () => {
    throw new Error('no key opens it');
  };
  const deps = await storedDeps([ref.deliveryId], { openSecrets }, clock);
  const { deliveries, policy } = deps.context;
  return {
    deliveries,
    /** What is waited for after each of so many attempts of a run. */
    async delaysMs(count: number, run = 1): Promise<number[]> {
      const delays: number[] = [];
      for (let nth = 0; nth < count; nth += 1) {
        const step = await runDelivery(deps, { ...ref, run });
        if (!('delayMs' in step)) throw new Error('it was over');
        delays.push(step.delayMs);
        nowMs += step.delayMs;
      }
      return delays;
    },
    /** Its first run ends, by the doing of the receiver. */
    async exhaust(): Promise<void> {
      const { leaseMs, maxLostAttempts } = policy;
      const limits = { leaseMs, maxInFlight: 1, maxLostAttempts, rateMarginMs: 0 };
      const started = await deliveries.start({ ...ref, ...limits, withdrawnStartAtMs: null });
      if (started.outcome !== 'started') throw new Error(started.outcome);
      await deliveries.finish({
        ...ref,
        attempt: started.attempt,
        result: answered(500),
        verdict: { kind: 'dead', reason: 'exhausted' },
        disableAfterMs: 1e12,
        pauseMs: 0,
        maxInFlight: 1,
      });
    },
  };
}
