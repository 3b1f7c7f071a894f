import { describe, expect, it } from 'vitest';
import { mapMethods } from './map-methods.ts';

/** A store whose methods need `this`, and are not copied by a spread. */
class Counter {
  #count: number;

  constructor(count: number) {
    this.#count = count;
  }

  add(more: number, twice: number): number {
    this.#count += more + 2 * twice;
    return this.#count;
  }

  reset(): void {
    this.#count = 0;
  }
}

describe('mapped methods', () => {
  it('call the store with their arguments, inside the wrapper', () => {
    const names: string[] = [];
    const counter = new Counter(1);
    const mapped = mapMethods(counter, { add: true, reset: true }, (call, name) => {
      names.push(name);
      return call();
    });
    expect([mapped.add(2, 3), mapped.reset(), mapped.add(1, 0)]).toEqual([9, undefined, 1]);
    expect(counter.add(0, 0)).toBe(1);
    expect(names).toEqual(['add', 'reset', 'add']);
  });

  it('are only those whose names were passed', () => {
    const mapped = mapMethods(new Counter(1), { add: true }, (call) => call());
    expect(Object.keys(mapped)).toEqual(['add']);
  });

  it('call the method that the store has at the time of the call', () => {
    const store = { find: () => 'before' };
    const mapped = mapMethods(store, { find: true }, (call) => call());
    store.find = () => 'after';
    expect(mapped.find()).toBe('after');
  });

  it('throw a TypeError inside the wrapper if the store lacks the method', () => {
    const lacking = {} as { find(): string };
    const mapped = mapMethods(lacking, { find: true }, (call) => {
      expect(call).toThrow(TypeError);
      throw new RangeError();
    });
    expect(() => mapped.find()).toThrow(RangeError);
  });
});
