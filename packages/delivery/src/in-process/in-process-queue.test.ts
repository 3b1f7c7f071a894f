import { beforeEach, describe, expect, it, vi } from 'vitest';
import {
  answered,
  heldReceiver,
  type Script,
  type ScriptedDeps,
  scheduled,
  started,
} from '../runs/scripted-deps.test.support.ts';
import { queueOf } from './in-process-queue.test.support.ts';

const sentBy = ({ calls }: ScriptedDeps): string[] =>
  calls.filter((call) => call.startsWith('send ')).map((call) => call.slice('send '.length));

/** A store that parks a delivery, and wakes it when the next one asks. */
function parkedOnce(id: string, delayMs: number): NonNullable<Script['start']> {
  let isParked = false;
  let isWoken = false;
  return ({ deliveryId }) => {
    if (deliveryId === id && !isParked) {
      isParked = true;
      return { outcome: 'deferred', delayMs: 20_000, reason: 'in_flight', next: null };
    }
    if (deliveryId === id || isWoken) return started();
    isWoken = true;
    return { outcome: 'deferred', delayMs: 5, reason: 'in_flight', next: scheduled(id, delayMs) };
  };
}

beforeEach(() => {
  vi.useFakeTimers();
  return () => void vi.useRealTimers();
});

describe('the queue in the process', () => {
  it.each([
    ['defers', () => ({ outcome: 'deferred', delayMs: 1e6, reason: 'rate', next: null }) as const],
    [
      'throws',
      () => {
        throw new Error('the store is unavailable');
      },
    ],
  ])('has ten thousand of one account wait that the store %s', async (_, start) => {
    const { deps, queue } = queueOf({ start });
    void queue.enqueue(Array.from({ length: 10_000 }, (_, nth) => scheduled(`msg_${nth}`)));
    await vi.advanceTimersByTimeAsync(0);
    expect(deps.calls).toHaveLength(10_000);
    expect(deps.events).toEqual([]);
  });

  it('starts the rest in order of due times, and not before', async () => {
    const { deps, queue } = queueOf();
    void queue.enqueue([scheduled('c', 3_000), scheduled('a', 1_000), scheduled('b', 1_000)]);
    await vi.advanceTimersByTimeAsync(999);
    expect(sentBy(deps)).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(sentBy(deps)).toEqual(['a', 'b']);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(sentBy(deps)).toEqual(['a', 'b', 'c']);
  });

  it('has one timer, however much waits', () => {
    const { queue } = queueOf();
    const before = vi.getTimerCount();
    const waiting = Array.from({ length: 1_000 }, (_, n) => scheduled(`msg_${n}`, 9_000 - n));
    void queue.enqueue(waiting);
    expect(vi.getTimerCount() - before).toBe(1);
  });

  it('has no more attempts in flight than it may, and starts the next as one ends', async () => {
    let inFlight = 0;
    let most = 0;
    const { deps, queue } = queueOf(
      {
        send: async () => {
          inFlight += 1;
          most = Math.max(most, inFlight);
          await new Promise((resolve) => setTimeout(resolve, 10));
          inFlight -= 1;
          return answered(200);
        },
      },
      3,
    );
    const names = Array.from({ length: 10 }, (_, n) => `msg_${n}`);
    void queue.enqueue(names.map((name) => scheduled(name)));
    await vi.advanceTimersByTimeAsync(40);
    expect(most).toBe(3);
    expect(sentBy(deps)).toEqual(names);
  });

  it('tries again when the verdict says', async () => {
    let tries = 0;
    const { deps, queue } = queueOf({
      start: () => started(tries),
      send: () => {
        tries += 1;
        return answered(tries === 1 ? 500 : 200);
      },
    });
    void queue.enqueue([scheduled('msg_1')]);
    await vi.advanceTimersByTimeAsync(4_999);
    expect(sentBy(deps)).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(sentBy(deps)).toHaveLength(2);
  });

  it('takes one of the same run once, and the next run as another', async () => {
    const { deps, queue } = queueOf();
    void queue.enqueue([
      scheduled('msg_1', 100),
      scheduled('msg_1', 200),
      scheduled('msg_1', 50, 2),
    ]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(sentBy(deps)).toHaveLength(2);
  });

  it('asks once more where it was handed over again while it ran', async () => {
    const outcomes = ['held', 'over'] as const;
    let asked = 0;
    const { deps, queue } = queueOf({ start: () => ({ outcome: outcomes[asked++] ?? 'over' }) });
    void queue.enqueue([scheduled('msg_1')]);
    await Promise.resolve();
    // Enabled, and released, while the answer `held` was on its way.
    void queue.enqueue([scheduled('msg_1')]);
    await vi.advanceTimersByTimeAsync(1);
    expect(deps.calls).toEqual(['start msg_1', 'start msg_1']);
  });

  it('sends what the store says is late', async () => {
    let late = [scheduled('msg_1')];
    const { deps } = queueOf({ overdue: () => late.splice(0) });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(sentBy(deps)).toEqual(['msg_1']);
    late = [scheduled('msg_2')];
    await vi.advanceTimersByTimeAsync(6_000);
    expect(sentBy(deps)).toEqual(['msg_1', 'msg_2']);
  });

  it('lets an account have its share at a time, and the rest of it wait without taking room', async () => {
    const { send, ends } = heldReceiver();
    const { deps, queue } = queueOf({ send, slots: 30 }, 11);
    const ofOne = Array.from({ length: 12 }, (_, nth) => scheduled(`a${nth}`));
    void queue.enqueue([...ofOne, { ...scheduled('b'), accountId: 2 }]);
    await vi.advanceTimersByTimeAsync(0);
    const first = ofOne.slice(0, 10).map(({ deliveryId }) => deliveryId);
    expect(sentBy(deps)).toEqual([...first, 'b']);
    for (const end of ends.splice(0, 2)) end();
    await vi.advanceTimersByTimeAsync(0);
    expect(sentBy(deps)).toEqual([...first, 'b', 'a10', 'a11']);
  });

  it('begins who is woken, when its delay has passed', async () => {
    const { deps, queue } = queueOf({ start: parkedOnce('a', 100) });
    void queue.enqueue([scheduled('a')]);
    await vi.advanceTimersByTimeAsync(0);
    void queue.enqueue([scheduled('b')]);
    await vi.advanceTimersByTimeAsync(99);
    expect(sentBy(deps)).toEqual(['b']);
    await vi.advanceTimersByTimeAsync(1);
    expect(sentBy(deps)).toEqual(['b', 'a']);
  });

  it.each([0, 100])(
    'begins who is woken by a start after %i ms, though that attempt hangs',
    async (delayMs) => {
      const hang = () => new Promise<never>(() => {});
      const { deps, queue } = queueOf({
        start: ({ deliveryId }) => ({
          ...started(),
          next: deliveryId === 'a' ? scheduled('b', delayMs) : null,
        }),
        send: hang,
      });
      void queue.enqueue([scheduled('a')]);
      await vi.advanceTimersByTimeAsync(delayMs);
      expect(sentBy(deps)).toEqual(['a', 'b']);
    },
  );

  it('begins who is woken while it is being parked', async () => {
    const start = parkedOnce('a', 0);
    let letGo = (): void => {};
    const { deps, queue } = queueOf({
      async start(request) {
        const answer = start(request);
        if (request.deliveryId === 'a') {
          await new Promise<void>((resolve) => {
            letGo = resolve;
          });
        }
        return answer;
      },
    });
    void queue.enqueue([scheduled('a'), scheduled('b')]);
    await vi.advanceTimersByTimeAsync(10);
    expect(sentBy(deps)).toEqual(['b']);
    letGo();
    await vi.advanceTimersByTimeAsync(10);
    letGo();
    await vi.advanceTimersByTimeAsync(10);
    expect(sentBy(deps)).toEqual(['b', 'a']);
  });

  it('reports a bug of ours, and comes back to the delivery later', async () => {
    const { deps, queue } = queueOf({ start: () => ({ outcome: 'poisoned', next: null }) });
    const { emit } = deps.context;
    const mistaken: typeof emit = (event) => {
      if (event.type === 'delivery.dead') throw new Error('a mistake');
      emit(event);
    };
    Object.assign(deps.context, { emit: mistaken });
    void queue.enqueue([scheduled('msg_1')]);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(deps.events).toHaveLength(2);
    expect(deps.events[0]).toMatchObject({ type: 'fault', where: 'delivery' });
  });
});
