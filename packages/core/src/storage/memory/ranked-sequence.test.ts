import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RankedSequence } from './ranked-sequence.ts';

describe('RankedSequence', () => {
  it('ranks like a sorted list, in whichever order its numbers come and leave', () => {
    const step = fc.record({ adds: fc.boolean(), number: fc.integer({ min: 1, max: 400 }) });
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 200 }),
        fc.integer({ min: 0, max: 401 }),
        (steps, probe) => {
          const sequence = new RankedSequence<string>();
          const numbers = new Set<number>();
          for (const { adds, number } of steps) {
            if (adds && !numbers.has(number)) sequence.add(number, `nth ${number}`);
            if (!adds) expect(sequence.delete(number)).toBe(numbers.has(number));
            if (adds) numbers.add(number);
            else numbers.delete(number);
          }
          const sorted = [...numbers].sort((a, b) => a - b);
          expect(sequence.size).toBe(sorted.length);
          expect(sorted.map((_, rank) => sequence.at(rank))).toEqual(sorted.map((n) => `nth ${n}`));
          expect(sequence.at(-1)).toBeUndefined();
          expect(sequence.at(sorted.length)).toBeUndefined();
          expect(sequence.rank(probe)).toBe(sorted.filter((number) => number < probe).length);
        },
      ),
      { seed: 1 },
    );
  });

  it('stays right when a line of thousands moves on for long', () => {
    const line = new RankedSequence<number>();
    for (let number = 1; number <= 50_000; number += 1) {
      line.add(number, number);
      line.delete(number - 3000);
    }
    expect(line.size).toBe(3000);
    expect(line.at(0)).toBe(47_001);
    expect(line.rank(50_000)).toBe(2999);
  });

  it('takes room for its values alone, though its first one stays while millions pass', () => {
    const line = new RankedSequence<string>();
    line.add(0, 'first');
    const { arrayBuffers } = process.memoryUsage();
    for (let number = 1; number <= 2_000_000; number += 1) {
      line.add(number, 'passes');
      line.delete(number);
    }
    expect(process.memoryUsage().arrayBuffers - arrayBuffers).toBeLessThan(1_000_000);
    expect(line.rank(2_000_001)).toBe(1);
    expect(line.at(0)).toBe('first');
  });

  it('takes numbers far apart, in any order', () => {
    const far = new RankedSequence<number>();
    const numbers = Array.from({ length: 1000 }, (_, nth) => ((nth * 7919) % 1000) * 1_000_003);
    for (const number of numbers) far.add(number, number);
    numbers.sort((a, b) => a - b);
    expect([...far.values()]).toEqual(numbers);
    expect(numbers.map((number) => far.rank(number))).toEqual([...numbers.keys()]);
  });

  it('begins again where it ran empty, however far that is', () => {
    const line = new RankedSequence<string>();
    line.add(7, 'early');
    line.delete(7);
    line.add(Number.MAX_SAFE_INTEGER - 100, 'late');
    expect(line.rank(Number.MAX_SAFE_INTEGER)).toBe(1);
    expect(line.rank(7)).toBe(0);
    expect(line.at(0)).toBe('late');
  });
});
