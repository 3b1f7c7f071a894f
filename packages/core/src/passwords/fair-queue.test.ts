import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFairQueue, type FairQueue } from './fair-queue.ts';

/** A queue of waiters that are named by their tenant and by their number in it: `a1`, `a2`, `b1`. */
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

describe('a queue with tenants', () => {
  it('round-robins between tenants, and serves each in order of arrival', () => {
    const queue = queueOf('a1', 'a2', 'a3', 'b1', 'b2', 'c1');
    expect(drain(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
    expect([queue.size, queue.oldest]).toEqual([0, undefined]);
  });

  it('reaches a tenant that joins late before the others are done', () => {
    const queue = queueOf('a1', 'a2', 'b1', 'b2');
    expect(queue.dequeue()).toBe('a1');
    queue.enqueue('c', 'c1');
    expect(drain(queue)).toEqual(['b1', 'a2', 'c1', 'b2']);
  });

  it('gives no advantage to a tenant that leaves and comes back', () => {
    const queue = queueOf('a1', 'b1', 'b2');
    expect(queue.dequeue()).toBe('a1');
    queue.enqueue('a', 'a2');
    expect(drain(queue)).toEqual(['b1', 'a2', 'b2']);
  });
});

describe('evictFor of a fair queue', () => {
  it('removes the newest waiter of the tenant with the most waiters', () => {
    const queue = queueOf('a1', 'b1', 'b2', 'b3', 'a2');
    expect(queue.evictFor('c')).toBe('b3');
    expect(drain(queue)).toEqual(['a1', 'b1', 'a2', 'b2']);
  });

  it.each([
    { who: 'the tenant with the most waiters', waiters: ['a1', 'b1', 'b2', 'b3'], tenant: 'b' },
    {
      who: 'a tenant that would become the fullest',
      waiters: ['a1', 'b1', 'b2'],
      tenant: 'a',
    },
    { who: 'a newcomer if each tenant has one', waiters: ['a1', 'b1'], tenant: 'c' },
    { who: 'any tenant if the queue is empty', waiters: [], tenant: 'a' },
  ])('removes nobody for $who', ({ waiters, tenant }) => {
    const queue = queueOf(...waiters);
    expect(queue.evictFor(tenant)).toBeUndefined();
    expect(queue.size).toBe(waiters.length);
  });

  it('leads to equal shares of all tenants, and keeps them', () => {
    const queue = queueOf(...Array.from({ length: 30 }, (_, n) => `a${n}`));
    for (let round = 0; round < 30; round += 1) {
      for (const tenant of ['a', 'b', 'c']) {
        if (queue.evictFor(tenant) !== undefined) queue.enqueue(tenant, tenant + round);
      }
    }
    const shares = drain(queue).map((waiter) => waiter.charAt(0));
    expect(shares.slice(0, 6).sort()).toEqual(['a', 'a', 'b', 'b', 'c', 'c']);
    expect(shares.sort().join('')).toBe('a'.repeat(10) + 'b'.repeat(10) + 'c'.repeat(10));
  });
});

it('a fair queue serves a hundred thousand tenants with one waiter each', () => {
  const queue = createFairQueue<number>();
  for (let n = 0; n < 100_000; n += 1) queue.enqueue(`tenant ${n}`, n);
  for (let n = 0; n < 100_000; n += 2) {
    const answers = [queue.evictFor('newcomer'), queue.dequeue(), queue.removeOldest()];
    if (answers.join() !== `,${n},${n + 1}`) expect.fail(`${n}: ${answers}`);
  }
  expect(queue.size).toBe(0);
});

interface Waiter {
  readonly tenant: string;
  readonly number: number;
}

/** The queue as its documentation describes it, with a look at everybody for every answer. */
class NaiveQueue {
  /** Everybody, the longest waiting first. */
  all: Waiter[] = [];
  #turns: string[] = [];

  enqueue(waiter: Waiter): void {
    this.all.push(waiter);
    if (!this.#turns.includes(waiter.tenant)) this.#turns.push(waiter.tenant);
  }

  dequeue(): Waiter | undefined {
    const tenant = this.#turns.shift();
    if (tenant === undefined) return undefined;
    this.#turns.push(tenant);
    return this.remove(this.of(tenant)[0]);
  }

  /** Those who may be evicted. */
  candidates(tenant: string): readonly Waiter[] {
    const most = Math.max(0, ...this.#turns.map((each) => this.of(each).length));
    if (this.of(tenant).length + 1 >= most) return [];
    const fullest = this.#turns.filter((each) => this.of(each).length === most);
    return fullest.flatMap((each) => this.of(each).slice(-1));
  }

  of(tenant: string): readonly Waiter[] {
    return this.all.filter((waiter) => waiter.tenant === tenant);
  }

  remove(waiter: Waiter | undefined): Waiter | undefined {
    this.all = this.all.filter((each) => each !== waiter);
    this.#turns = this.#turns.filter((tenant) => this.of(tenant).length > 0);
    return waiter;
  }
}

const tenants = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const steps = fc.oneof(
  { weight: 5, arbitrary: fc.record({ call: fc.constant('enqueue'), tenant: tenants }) },
  { weight: 2, arbitrary: fc.record({ call: fc.constant('evictFor'), tenant: tenants }) },
  fc.constant({ call: 'dequeue', tenant: '' }),
  fc.constant({ call: 'removeOldest', tenant: '' }),
);

it('a fair queue returns the same as a naive one for random calls', () => {
  fc.assert(
    fc.property(fc.array(steps, { maxLength: 200 }), (calls) => {
      const queue = createFairQueue<Waiter>();
      const naive = new NaiveQueue();
      for (const [number, { call, tenant }] of calls.entries()) {
        if (call === 'enqueue') {
          queue.enqueue(tenant, { tenant, number });
          naive.enqueue({ tenant, number });
        } else if (call === 'evictFor') {
          const candidates = naive.candidates(tenant);
          const given = queue.evictFor(tenant);
          expect(given !== undefined).toBe(candidates.length > 0);
          if (given !== undefined) expect(candidates).toContainEqual(given);
          naive.remove(candidates.find((each) => each.number === given?.number));
        } else if (call === 'dequeue') {
          expect(queue.dequeue()).toEqual(naive.dequeue());
        } else {
          expect(queue.removeOldest()).toEqual(naive.remove(naive.all[0]));
        }
        expect([queue.size, queue.oldest]).toEqual([naive.all.length, naive.all[0]]);
      }
    }),
    { seed: 9, numRuns: 300 },
  );
});
