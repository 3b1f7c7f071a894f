import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFairQueue, type FairQueue } from './fair-queue.ts';

/** A queue of waiters that are named by their key and by their number within it: `a1`, `a2`, `b1`. */
function queueOf(...waiters: string[]): FairQueue<string> {
  const queue = createFairQueue<string>();
  for (const waiter of waiters) queue.enqueue(waiter.charAt(0), waiter);
  return queue;
}

function drain(queue: FairQueue<string>): string[] {
  const order: string[] = [];
  for (let next = queue.dequeue(); next !== undefined; next = queue.dequeue()) order.push(next);
  return order;
}

describe('a fair queue', () => {
  it('round-robins between keys, and serves each key in order of arrival', () => {
    const queue = queueOf('a1', 'a2', 'a3', 'b1', 'b2', 'c1');
    expect(drain(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
    expect([queue.size, queue.oldest]).toEqual([0, undefined]);
  });

  it('reaches a key that joins late before the queues of the others are empty', () => {
    const queue = queueOf('a1', 'a2', 'b1', 'b2');
    expect(queue.dequeue()).toBe('a1');
    queue.enqueue('c', 'c1');
    expect(drain(queue)).toEqual(['b1', 'a2', 'c1', 'b2']);
  });

  it('gives no advantage to a key whose queue was empty in between', () => {
    const queue = queueOf('a1', 'b1', 'b2');
    expect(queue.dequeue()).toBe('a1');
    queue.enqueue('a', 'a2');
    expect(drain(queue)).toEqual(['b1', 'a2', 'b2']);
  });
});

describe('evictFor of a fair queue', () => {
  it('removes the newest waiter of the key with the most waiters', () => {
    const queue = queueOf('a1', 'b1', 'b2', 'b3', 'a2');
    expect(queue.evictFor('c')).toBe('b3');
    expect(drain(queue)).toEqual(['a1', 'b1', 'a2', 'b2']);
  });

  it.each([
    ['the key with the most waiters', ['a1', 'b1', 'b2', 'b3'], 'b'],
    ['a key that would become the fullest', ['a1', 'b1', 'b2'], 'a'],
    ['a newcomer if each key has one waiter', ['a1', 'b1'], 'c'],
    ['any key if the queue is empty', [], 'a'],
  ])('removes nobody for %s', (_, waiters, key) => {
    const queue = queueOf(...waiters);
    expect(queue.evictFor(key)).toBeUndefined();
    expect(queue.size).toBe(waiters.length);
  });

  it('leads to equal shares of all keys', () => {
    const queue = queueOf(...Array.from({ length: 30 }, (_, n) => `a${n}`));
    for (let round = 0; round < 30; round += 1) {
      for (const key of ['a', 'b', 'c']) {
        if (queue.evictFor(key) !== undefined) queue.enqueue(key, key + round);
      }
    }
    const shares = drain(queue).map((waiter) => waiter.charAt(0));
    expect(shares.slice(0, 6).sort()).toEqual(['a', 'a', 'b', 'b', 'c', 'c']);
    expect(shares.sort().join('')).toBe('a'.repeat(10) + 'b'.repeat(10) + 'c'.repeat(10));
  });
});

it('a fair queue serves a hundred thousand keys with one waiter each', () => {
  const queue = createFairQueue<number>();
  for (let n = 0; n < 100_000; n += 1) queue.enqueue(`key ${n}`, n);
  for (let n = 0; n < 100_000; n += 2) {
    // Nobody is evicted, because no key has more waiters than the newcomer would have; two waiters leave in order.
    const waiters = [queue.evictFor('newcomer'), queue.dequeue(), queue.removeOldest()];
    if (waiters.join() !== `,${n},${n + 1}`) expect.fail(`${n}: ${waiters}`);
  }
  expect(queue.size).toBe(0);
});

interface Waiter {
  readonly key: string;
  readonly number: number;
}

/** The queue as its documentation describes it; every call inspects all waiters. */
class NaiveQueue {
  /** The longest waiting first. */
  waiters: Waiter[] = [];
  #roundRobin: string[] = [];

  enqueue(waiter: Waiter): void {
    this.waiters.push(waiter);
    if (!this.#roundRobin.includes(waiter.key)) this.#roundRobin.push(waiter.key);
  }

  dequeue(): Waiter | undefined {
    const key = this.#roundRobin.shift();
    if (key === undefined) return undefined;
    this.#roundRobin.push(key);
    return this.remove(this.waitersOf(key)[0]);
  }

  /** The waiters that may be evicted. */
  candidates(key: string): readonly Waiter[] {
    const maxSize = Math.max(0, ...this.#roundRobin.map((each) => this.waitersOf(each).length));
    if (this.waitersOf(key).length + 1 >= maxSize) return [];
    const fullest = this.#roundRobin.filter((each) => this.waitersOf(each).length === maxSize);
    return fullest.flatMap((each) => this.waitersOf(each).slice(-1));
  }

  waitersOf(key: string): readonly Waiter[] {
    return this.waiters.filter((waiter) => waiter.key === key);
  }

  remove(waiter: Waiter | undefined): Waiter | undefined {
    this.waiters = this.waiters.filter((each) => each !== waiter);
    this.#roundRobin = this.#roundRobin.filter((key) => this.waitersOf(key).length > 0);
    return waiter;
  }
}

const keys = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const steps = fc.oneof(
  { weight: 5, arbitrary: fc.record({ call: fc.constant('enqueue'), key: keys }) },
  { weight: 2, arbitrary: fc.record({ call: fc.constant('evictFor'), key: keys }) },
  fc.constant({ call: 'dequeue', key: '' }),
  fc.constant({ call: 'removeOldest', key: '' }),
);

it('a fair queue returns the same as a naive implementation for random calls', () => {
  fc.assert(
    fc.property(fc.array(steps, { maxLength: 200 }), (calls) => {
      const queue = createFairQueue<Waiter>();
      const naive = new NaiveQueue();
      for (const [number, { call, key }] of calls.entries()) {
        if (call === 'enqueue') {
          queue.enqueue(key, { key, number });
          naive.enqueue({ key, number });
        } else if (call === 'evictFor') {
          const candidates = naive.candidates(key);
          const evicted = queue.evictFor(key);
          expect(evicted !== undefined).toBe(candidates.length > 0);
          if (evicted !== undefined) expect(candidates).toContainEqual(evicted);
          naive.remove(candidates.find((each) => each.number === evicted?.number));
        } else if (call === 'dequeue') {
          expect(queue.dequeue()).toEqual(naive.dequeue());
        } else {
          expect(queue.removeOldest()).toEqual(naive.remove(naive.waiters[0]));
        }
        expect([queue.size, queue.oldest]).toEqual([naive.waiters.length, naive.waiters[0]]);
      }
    }),
    { seed: 9, numRuns: 300 },
  );
});
