import { describe, expect, it } from 'vitest';
import { withOverrides } from './with-overrides.ts';

class Counter {
  readonly name: string = 'counter';
  #count = 0;
  add(): number {
    this.#count += 1;
    return this.#count;
  }
  reset(): void {
    this.#count = 0;
  }
}

describe('an object with some of its members replaced', () => {
  it('keeps all its other members, including private ones', () => {
    const counter = new Counter();
    const same = withOverrides(counter, { reset: () => {} });
    same.add();
    same.reset();
    expect(counter.add()).toBe(2);
    expect(same.name).toBe('counter');
    expect('add' in same).toBe(true);
  });

  it('can be made from a frozen object', () => {
    const frozen = Object.freeze({ answer: (): number => 1, other: () => 2 });
    const same = withOverrides(frozen, { answer: () => 3 });
    expect([same.answer(), same.other()]).toEqual([3, 2]);
  });

  it('keeps its replaced members when it is spread', () => {
    const whole = { name: 'whole', answer: (): number => 1, other: () => 2 };
    const spread = { ...withOverrides(whole, { answer: () => 3 }), name: 'spread' };
    expect([spread.name, spread.answer(), spread.other()]).toEqual(['spread', 3, 2]);
  });
});
