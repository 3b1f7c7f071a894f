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

describe('withOverrides', () => {
  it('keeps all other members of a class instance, including private ones', () => {
    const counter = new Counter();
    const overridden = withOverrides(counter, { reset: () => {} });
    overridden.add();
    overridden.reset();
    expect(counter.add()).toBe(2);
    expect(overridden.name).toBe('counter');
    expect('add' in overridden).toBe(true);
  });

  it('replaces members of a frozen object', () => {
    const frozen = Object.freeze({ first: (): number => 1, second: () => 2 });
    const overridden = withOverrides(frozen, { first: () => 3 });
    expect([overridden.first(), overridden.second()]).toEqual([3, 2]);
  });

  it('returns an object that can be spread with its replaced members', () => {
    const whole = { name: 'whole', first: (): number => 1, second: () => 2 };
    const spread = { ...withOverrides(whole, { first: () => 3 }), name: 'spread' };
    expect([spread.name, spread.first(), spread.second()]).toEqual(['spread', 3, 2]);
  });
});
