import { describe, expect, it } from 'vitest';
import { AuthError } from '../../errors.ts';
import type { SecurityEvent } from '../../ports/security-events.ts';
import type { RescheduledDelivery } from '../../storage/delivery-outcomes.ts';
import type { RescheduleRequest } from '../../storage/delivery-requests.ts';
import { type BacklogDeps, createBacklog } from './backlog.ts';

const ref = { accountId: 1, webhookId: 'wh_a' };
const unavailable = new AuthError('temporarily_unavailable', 'Try again in a moment.');

function scheduled(sequence: number): RescheduledDelivery {
  return {
    ...ref,
    deliveryId: `msg_${sequence}`,
    run: 1,
    delayMs: 0,
    position: { line: 'first_tries', sequence },
  };
}

/** Of a backlog of 300 deliveries. */
function pageOf({ after, limit }: RescheduleRequest): readonly RescheduledDelivery[] {
  const from = (after?.sequence ?? 0) + 1;
  return Array.from({ length: Math.min(limit, 301 - from) }, (_, nth) => scheduled(from + nth));
}

/** A backlog of which each step takes a turn of the loop. */
function scene(broken: Partial<BacklogDeps> = {}) {
  const events: SecurityEvent[] = [];
  const handedOver: number[] = [];
  let held = 3;
  const backlog = createBacklog({
    deliveries: {
      reschedule: async (_ref, page) => pageOf(page),
      async release() {
        held--;
        return { scheduled: [scheduled(held)], count: 1, more: held > 0 };
      },
    },
    queue: { reschedule: async (batch) => void handedOver.push(batch.length) },
    handOver: async (batch) => void handedOver.push(batch.length),
    callEngine: (call) => call(),
    policy: { rateMarginMs: 25, maxInFlightPerWebhook: 10, leaseMs: 20_000 },
    emit: (event) => void events.push(event),
    clock: { nowMs: () => 0 },
    ...broken,
  });
  return { ...backlog, handedOver, events };
}

describe('a backlog', () => {
  it('is rescheduled in pages, and only the first is waited for', async () => {
    const { reschedule, handedOver } = scene();
    await reschedule(ref);
    expect(handedOver.length).toBeLessThan(3);
    await expect.poll(() => handedOver).toEqual([100, 100, 100]);
  });

  it('is rescheduled by the bounds of the policy', async () => {
    const asked: RescheduleRequest[] = [];
    const { reschedule } = scene({
      deliveries: {
        async reschedule(_ref, request) {
          asked.push(request);
          return [];
        },
        release: () => Promise.reject(unavailable),
      },
    });
    await reschedule(ref);
    const bounds = { rateMarginMs: 25, maxInFlight: 10, leaseMs: 20_000 };
    expect(asked).toEqual([{ ...bounds, limit: 100, after: null }]);
  });

  it('of a webhook that was removed meanwhile is over', async () => {
    const { reschedule, release, handedOver, events } = scene({
      deliveries: { reschedule: async () => null, release: async () => null },
    });
    await reschedule(ref);
    await release(ref);
    expect([handedOver, events]).toEqual([[], []]);
  });

  it('has its first rescheduled alone where the oldest expired', async () => {
    const asked: RescheduleRequest[] = [];
    const { rescheduleHead, handedOver } = scene({
      deliveries: {
        async reschedule(_ref, request) {
          asked.push(request);
          return [scheduled(1)];
        },
        release: () => Promise.reject(unavailable),
      },
    });
    await rescheduleHead(ref);
    const bounds = { rateMarginMs: 25, maxInFlight: 10, leaseMs: 20_000 };
    expect(asked).toEqual([{ ...bounds, limit: 1, after: null }]);
    expect(handedOver).toEqual([1]);
  });

  it('is rescheduled by the newest rate alone, however often that was changed', async () => {
    const asked: Record<string, (number | null)[]> = {};
    let goOn = (): void => {};
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const { reschedule, handedOver } = scene({
      deliveries: {
        async reschedule({ webhookId }, page) {
          asked[webhookId] = [...(asked[webhookId] ?? []), page.after?.sequence ?? null];
          if (page.after !== null) await held;
          return pageOf(page);
        },
        release: () => Promise.reject(unavailable),
      },
    });
    await reschedule(ref);
    await expect.poll(() => asked).toEqual({ wh_a: [null, 100] });
    await reschedule({ ...ref, webhookId: 'wh_b' });
    for (let nth = 0; nth < 5; nth += 1) await reschedule(ref);
    goOn();
    await expect.poll(() => handedOver).toHaveLength(2 + 3 + 3);
    expect(asked).toEqual({
      wh_a: [null, 100, null, 100, 200, 300],
      wh_b: [null, 100, 200, 300],
    });
  });

  it('is rescheduled by the older rate’s pages where the newer fails at its first', async () => {
    const asked: (number | null)[] = [];
    let goOn = (): void => {};
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const { reschedule, handedOver } = scene({
      deliveries: {
        async reschedule(_ref, page) {
          asked.push(page.after?.sequence ?? null);
          if (asked.length === 3) throw unavailable;
          if (page.after !== null) await held;
          return pageOf(page);
        },
        release: () => Promise.reject(unavailable),
      },
    });
    await reschedule(ref);
    await expect.poll(() => asked).toEqual([null, 100]);
    await reschedule(ref);
    goOn();
    await expect.poll(() => handedOver).toEqual([100, 100, 100]);
  });

  it('is rescheduled to its end, even if its oldest expire meanwhile', async () => {
    const { reschedule, rescheduleHead, handedOver } = scene();
    await reschedule(ref);
    await rescheduleHead(ref);
    await expect.poll(() => handedOver.toSorted((a, b) => a - b)).toEqual([1, 100, 100, 100]);
  });

  it('is released in steps, and only the first is waited for', async () => {
    const { release, handedOver } = scene();
    await release(ref);
    expect(handedOver.length).toBeLessThan(3);
    await expect.poll(() => handedOver).toEqual([1, 1, 1]);
  });

  it('that cannot be rescheduled harms nobody: the rate is kept by the store anyway', async () => {
    const callEngine = () => Promise.reject(unavailable);
    const { reschedule, events } = scene({ callEngine });
    await reschedule(ref);
    expect(events).toEqual([]);
  });

  it('that cannot be released rejects the call', async () => {
    const deliveries = {
      reschedule: () => Promise.reject(unavailable),
      release: () => Promise.reject(unavailable),
    };
    await expect(scene({ deliveries }).release(ref)).rejects.toBe(unavailable);
  });

  it('is left at the first fault behind the back of who asked', async () => {
    const handedOver: number[] = [];
    const { release, events } = scene({
      handOver: async (batch) => {
        if (handedOver.length === 1) throw unavailable;
        handedOver.push(batch.length);
      },
    });
    await release(ref);
    await new Promise(setImmediate);
    expect(handedOver).toEqual([1]);
    expect(events).toEqual([]);
  });

  it('is asked for once, where one step was all that was held', async () => {
    const asked: unknown[] = [];
    const { release } = scene({
      deliveries: {
        reschedule: () => Promise.reject(unavailable),
        async release(_ref, request) {
          asked.push(request);
          return { scheduled: [scheduled(1)], count: 1, more: false };
        },
      },
    });
    await release(ref);
    await new Promise(setImmediate);
    expect(asked).toEqual([{ limit: 100 }]);
  });

  it('reports a bug of our own', async () => {
    const error = new TypeError('page is not iterable');
    const { reschedule, events } = scene({ callEngine: () => Promise.reject(error) });
    await reschedule(ref);
    expect(events).toEqual([{ type: 'fault', where: 'internal', error }]);
  });

  it('is left as it is once it was closed', async () => {
    const { reschedule, close, handedOver } = scene();
    await reschedule(ref);
    await close();
    const before = handedOver.length;
    await reschedule(ref);
    await new Promise(setImmediate);
    expect(handedOver).toHaveLength(before);
    expect(before).toBeLessThan(3);
  });
});
