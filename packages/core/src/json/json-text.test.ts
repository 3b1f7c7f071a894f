import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonText } from './json-text.ts';

describe('jsonText', () => {
  it('returns the text of JSON.stringify for any JSON value', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 12 })), (data) => {
        expect(jsonText(data, 'data')).toBe(JSON.stringify(data));
      }),
      { seed: 1 },
    );
  });

  it('throws a TypeError for one value that JSON would lose, at any position in the data', () => {
    const PLACE = Symbol('the place of the mistake');
    const dataWithPlace = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 12 },
        fc.constant(PLACE),
        fc.tuple(fc.array(fc.jsonValue()), tie('node')).map(([before, node]) => [...before, node]),
        fc.tuple(fc.string(), tie('node')).map(([name, node]) => ({ a: 1, [name]: node })),
      ),
    })).node;
    /** An array whose iterator does not yield its items. */
    class Silent extends Array {
      override [Symbol.iterator]() {
        return [].values();
      }
    }
    /** An array that `JSON.stringify` leaves out. */
    class Mute extends Array {
      toJSON() {
        return undefined;
      }
    }
    const mistakes = [
      undefined,
      Number.NaN,
      () => 1,
      1n,
      new Map(),
      new Date(Number.NaN),
      Promise.resolve(),
      { [Symbol('a key')]: 1 },
      Object.assign([1], { total: 1 }),
      Object.create({ id: 1 }),
      { toJSON: () => undefined },
      Silent.from([undefined]),
      new Mute(),
      new Array(1),
      Object.assign([Number.NaN], { [Symbol.iterator]: () => [].values() }),
    ];
    fc.assert(
      fc.property(dataWithPlace, fc.constantFrom(...mistakes), (node, mistake) => {
        const put = (value: unknown): unknown => {
          if (value === PLACE) return mistake;
          if (Array.isArray(value)) return value.map(put);
          if (typeof value !== 'object' || value === null) return value;
          return Object.fromEntries(
            Object.entries(value).map(([name, inner]) => [name, put(inner)]),
          );
        };
        expect(() => jsonText({ data: put(node) }, 'data')).toThrow(TypeError);
      }),
      { seed: 1 },
    );
  });

  it('throws a RangeError for data that is nested deeper than 500 levels, or endlessly', () => {
    const nested = (levels: number): object => (levels === 1 ? {} : { in: nested(levels - 1) });
    expect(jsonText(nested(500), 'data')).toBe(JSON.stringify(nested(500)));
    const endless = { toJSON: () => ({ in: endless }) };
    for (const data of [nested(501), endless, nested(5_000)]) {
      expect(() => jsonText(data, 'data')).toThrow(
        new RangeError('data is nested too deep: it may have 500 levels'),
      );
    }
  });
});
