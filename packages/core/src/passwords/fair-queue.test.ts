import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFairQueue, type FairQueue } from './fair-queue.ts';

/** A queue of waiters that are named by their party and by their number in it: `a1`, `a2`, `b1`. */
function queueOf(...waiters: string[]): FairQueue<string> {
  const queue = createFairQueue<string>();
  for (const waiter of waiters) queue.join(waiter.charAt(0), waiter);
  return queue;
}

function drain(queue: FairQueue<string>): string[] {
  const order: string[] = [];
  for (let next = queue.next(); next !== undefined; next = queue.next()) order.push(next);
  return order;
}

describe('the turns', () => {
  it('go round the parties, and within one to whoever came first', () => {
    const queue = queueOf('a1', 'a2', 'a3', 'b1', 'b2', 'c1');
    expect(drain(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
    expect([queue.size, queue.oldest]).toEqual([0, undefined]);
  });

  it('come to a party that joins after those who are there', () => {
    const queue = queueOf('a1', 'a2', 'b1', 'b2');
    expect(queue.next()).toBe('a1');
    queue.join('c', 'c1');
    expect(drain(queue)).toEqual(['b1', 'a2', 'c1', 'b2']);
  });

  it('give nothing to a party that leaves and comes back', () => {
    const queue = queueOf('a1', 'b1', 'b2');
    expect(queue.next()).toBe('a1');
    queue.join('a', 'a2');
    expect(drain(queue)).toEqual(['b1', 'a2', 'b2']);
  });
});

describe('who gives way', () => {
  it('is the newest of the party with the most places', () => {
    const queue = queueOf('a1', 'b1', 'b2', 'b3', 'a2');
    expect(queue.giveWay('c')).toBe('b3');
    expect(drain(queue)).toEqual(['a1', 'b1', 'a2', 'b2']);
  });

  it.each([
    { who: 'the party with the most itself', waiters: ['a1', 'b1', 'b2', 'b3'], party: 'b' },
    { who: 'a party that would only swap numbers', waiters: ['a1', 'b1', 'b2'], party: 'a' },
    { who: 'a newcomer among parties of one place', waiters: ['a1', 'b1'], party: 'c' },
    { who: 'anybody, where nobody waits', waiters: [], party: 'a' },
  ])('is nobody for $who', ({ waiters, party }) => {
    const queue = queueOf(...waiters);
    expect(queue.giveWay(party)).toBeUndefined();
    expect(queue.size).toBe(waiters.length);
  });

  it('leads to equal shares, and keeps them', () => {
    const queue = queueOf(...Array.from({ length: 30 }, (_, n) => `a${n}`));
    for (let round = 0; round < 30; round += 1) {
      for (const party of ['a', 'b', 'c']) {
        if (queue.giveWay(party) !== undefined) queue.join(party, party + round);
      }
    }
    const shares = drain(queue).map((waiter) => waiter.charAt(0));
    expect(shares.slice(0, 6).sort()).toEqual(['a', 'a', 'b', 'b', 'c', 'c']);
    expect(shares.sort().join('')).toBe('a'.repeat(10) + 'b'.repeat(10) + 'c'.repeat(10));
  });
});

it('serves a hundred thousand parties of one place as readily as a few', () => {
  const queue = createFairQueue<number>();
  for (let n = 0; n < 100_000; n += 1) queue.join(`party ${n}`, n);
  for (let n = 0; n < 100_000; n += 2) {
    const answers = [queue.giveWay('newcomer'), queue.next(), queue.removeOldest()];
    if (answers.join() !== `,${n},${n + 1}`) expect.fail(`${n}: ${answers}`);
  }
  expect(queue.size).toBe(0);
});

interface Waiter {
  readonly party: string;
  readonly number: number;
}

/** The queue as its documentation describes it, with a look at everybody for every answer. */
class NaiveQueue {
  /** Everybody, the longest waiting first. */
  all: Waiter[] = [];
  #turns: string[] = [];

  join(waiter: Waiter): void {
    this.all.push(waiter);
    if (!this.#turns.includes(waiter.party)) this.#turns.push(waiter.party);
  }

  next(): Waiter | undefined {
    const party = this.#turns.shift();
    if (party === undefined) return undefined;
    this.#turns.push(party);
    return this.remove(this.of(party)[0]);
  }

  /** Those who may give way. */
  candidates(party: string): readonly Waiter[] {
    const most = Math.max(0, ...this.#turns.map((each) => this.of(each).length));
    if (this.of(party).length + 1 >= most) return [];
    const fullest = this.#turns.filter((each) => this.of(each).length === most);
    return fullest.flatMap((each) => this.of(each).slice(-1));
  }

  of(party: string): readonly Waiter[] {
    return this.all.filter((waiter) => waiter.party === party);
  }

  remove(waiter: Waiter | undefined): Waiter | undefined {
    this.all = this.all.filter((each) => each !== waiter);
    this.#turns = this.#turns.filter((party) => this.of(party).length > 0);
    return waiter;
  }
}

const parties = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const steps = fc.oneof(
  { weight: 5, arbitrary: fc.record({ call: fc.constant('join'), party: parties }) },
  { weight: 2, arbitrary: fc.record({ call: fc.constant('giveWay'), party: parties }) },
  fc.constant({ call: 'next', party: '' }),
  fc.constant({ call: 'removeOldest', party: '' }),
);

it('answers as a queue that looks at everybody each time', () => {
  fc.assert(
    fc.property(fc.array(steps, { maxLength: 200 }), (calls) => {
      const queue = createFairQueue<Waiter>();
      const naive = new NaiveQueue();
      for (const [number, { call, party }] of calls.entries()) {
        if (call === 'join') {
          queue.join(party, { party, number });
          naive.join({ party, number });
        } else if (call === 'giveWay') {
          const candidates = naive.candidates(party);
          const given = queue.giveWay(party);
          expect(given !== undefined).toBe(candidates.length > 0);
          if (given !== undefined) expect(candidates).toContainEqual(given);
          naive.remove(candidates.find((each) => each.number === given?.number));
        } else if (call === 'next') {
          expect(queue.next()).toEqual(naive.next());
        } else {
          expect(queue.removeOldest()).toEqual(naive.remove(naive.all[0]));
        }
        expect([queue.size, queue.oldest]).toEqual([naive.all.length, naive.all[0]]);
      }
    }),
    { seed: 9, numRuns: 300 },
  );
});
