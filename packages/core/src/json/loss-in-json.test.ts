import { createSecretKey } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { jsonText } from './json-text.ts';

class Contact {
  readonly id = 'c_1';
  get name() {
    return `Contact ${this.id}`;
  }
}

class Private {
  readonly #id = 'c_1';
  get id() {
    return this.#id;
  }
}

class AsyncJson {
  async toJSON() {
    return { id: 'c_1' };
  }
}

/** A thenable, like a query builder that was not awaited. */
class Query {
  readonly sql = 'SELECT 1';
}
Reflect.set(Query.prototype, 'then', () => undefined);

/** Like a date of a library. */
class Moment {
  readonly #ms: number;
  constructor(ms: number) {
    this.#ms = ms;
  }
  valueOf() {
    return this.#ms;
  }
  toJSON() {
    return Number.isNaN(this.#ms) ? null : new Date(this.#ms).toISOString();
  }
}

class Money {
  readonly cents = 100;
  toJSON() {
    return '1.00';
  }
}

const withSymbol = { id: 'c_1', [Symbol('s3cret')]: 's3cret' };
const withHiddenProperty = Object.defineProperty({}, 'id', { value: 's3cret' });
const match = /(?<name>s3cret)/.exec('s3cret');

describe('jsonText', () => {
  it.each<[what: string, value: unknown, loss: string]>([
    ['an invalid Date', new Date(Number.NaN), 'an invalid date'],
    ['an invalid Date of another realm', runInNewContext('new Date(NaN)'), 'an invalid date'],
    ['an invalid date of a library', new Moment(Number.NaN), 'an invalid date'],
    ['NaN', Number.NaN, 'no finite number'],
    ['an infinite number', Number.NEGATIVE_INFINITY, 'no finite number'],
    ['NaN, boxed', Object(Number.NaN), 'no finite number'],
    ['an infinite number, boxed', Object(Number.POSITIVE_INFINITY), 'no finite number'],
    ['a BigInt', 1n, 'a BigInt'],
    ['a BigInt, boxed', Object(1n), 'a BigInt'],
    ['a symbol', Symbol('s3cret'), 'a symbol'],
    ['a symbol, boxed', Object(Symbol('s3cret')), 'a symbol'],
    ['a function', () => 's3cret', 'a function'],
    ['a class', Contact, 'a function'],
    ['undefined', undefined, 'undefined; leave it out'],
    ['a toJSON that returns undefined', { toJSON: () => undefined }, 'undefined; leave it out'],
    ['a promise', Promise.resolve('s3cret'), 'a promise; await it'],
    ['a promise with fields', Object.assign(Promise.resolve(), { id: 1 }), 'a promise; await it'],
    ['a promise of another realm', runInNewContext('Promise.resolve()'), 'a promise; await it'],
    ['another thenable', new Query(), 'a promise; await it'],
    ['an async toJSON', new AsyncJson(), 'a promise; await it'],
    ['an Error', new Error('s3cret'), 'an Error; send its message'],
    ['an Error with a code', Object.assign(new Error('s3cret'), { code: 'E' }), 'an Error'],
    ['an Error of another realm', runInNewContext('new TypeError("s3cret")'), 'an Error'],
    ['an AggregateError', new AggregateError([1], 's3cret'), 'an Error; send its message'],
    ['a DOMException', new DOMException('s3cret'), 'an Error; send its message'],
    ['a Map', new Map([['s3cret', 1]]), 'a Map or Set; send an array'],
    ['a Set', new Set(['s3cret']), 'a Map or Set; send an array'],
    ['a Map of another realm', runInNewContext('new Map([["s3cret", 1]])'), 'a Map or Set'],
    ['a WeakMap', new WeakMap(), 'an instance of WeakMap, of which JSON keeps nothing'],
    ['a WeakRef', new WeakRef({}), 'an instance of WeakRef'],
    ['an iterator', ['s3cret'].values(), 'of which JSON keeps nothing'],
    ['a generator', (function* () {})(), 'of which JSON keeps nothing'],
    ['a RegExp', /s3cret/, 'an instance of RegExp'],
    ['Headers', new Headers({ a: 's3cret' }), 'an instance of Headers'],
    ['URLSearchParams', new URLSearchParams('a=s3cret'), 'an instance of URLSearchParams'],
    ['a Blob', new Blob(['s3cret']), 'an instance of Blob'],
    ['FormData', new FormData(), 'an instance of FormData'],
    ['a Request', new Request('https://example.com'), 'an instance of Request'],
    ['a Response', new Response('s3cret'), 'an instance of Response'],
    ['an Event', new Event('s3cret'), 'an instance of Event'],
    ['a stream', new ReadableStream(), 'an instance of ReadableStream'],
    ['an AbortSignal', new AbortController().signal, 'an instance of AbortSignal'],
    ['a key', createSecretKey(Buffer.from('s3cret')), 'an instance of SecretKeyObject'],
    ['bytes', new Uint8Array(2), 'binary data; send it as base64'],
    ['an empty array of bytes', new Uint8Array(), 'binary data; send it as base64'],
    ['an array of floats', new Float64Array(2), 'binary data; send it as base64'],
    ['a DataView', new DataView(new ArrayBuffer(2)), 'binary data; send it as base64'],
    ['an ArrayBuffer', new ArrayBuffer(2), 'an instance of ArrayBuffer'],
    ['a SharedArrayBuffer', new SharedArrayBuffer(2), 'an instance of SharedArrayBuffer'],
    ['a class without fields', new Private(), 'an instance of Private'],
    ['a class without a name', new (class {})(), 'an object, of which JSON keeps nothing'],
    ['a property that is not enumerable', withHiddenProperty, 'of which JSON keeps nothing'],
    ['a symbol as a key', withSymbol, 'an object with a symbol as a key'],
    ['inherited fields', Object.create({ id: 's3cret' }), 'an object, of which JSON keeps nothing'],
    [
      'inherited fields and own ones',
      { __proto__: { id: 's3cret' }, name: 'Ada' },
      'an object that inherits "id"',
    ],
    ['a list with fields', match, 'a list with fields'],
    ['a list with a hole', new Array(1), 'undefined; leave it out'],
    [
      'a toJSON that returns an object with a toJSON',
      { toJSON: () => new Money() },
      'what a toJSON returned',
    ],
    ['a toJSON that returns a Date', { toJSON: () => new Date(0) }, 'what a toJSON returned'],
  ])('rejects a value that JSON would lose: %s', (_what, value, loss) => {
    for (const data of [{ a: value }, { b: new Contact(), c: [[{ a: value }]] }]) {
      const serialise = () => jsonText(data, 'data');
      expect(serialise).toThrow(TypeError);
      expect(serialise).toThrow(/^data cannot be sent as JSON: (c\.0\.0\.)?a(\.0)? is /);
      expect(serialise).toThrow(loss);
      expect(serialise).not.toThrow(/s3cret/);
    }
  });

  it.each<[what: string, value: unknown, text: string]>([
    ['{}', {}, '{}'],
    ['{} without a prototype', Object.create(null), '{}'],
    ['{} of another realm', runInNewContext('({})'), '{}'],
    ['fields without a prototype', Object.assign(Object.create(null), { id: 1 }), '{"id":1}'],
    ['fields of another realm', runInNewContext('({ id: [1, { at: 2 }] })'), '{"id":[1,{"at":2}]}'],
    ['an instance of a class', new Contact(), '{"id":"c_1"}'],
    [
      'a parsed object with __proto__',
      JSON.parse('{"__proto__":{"id":1}}'),
      '{"__proto__":{"id":1}}',
    ],
    [
      'a getter',
      {
        get id() {
          return 1;
        },
      },
      '{"id":1}',
    ],
    [
      'a field and a property that is not enumerable',
      Object.defineProperty({ id: 1 }, 'b', {}),
      '{"id":1}',
    ],
    ['a Date', new Date(0), '"1970-01-01T00:00:00.000Z"'],
    ['a Date of a library', new Moment(0), '"1970-01-01T00:00:00.000Z"'],
    ['an object with a toJSON', new Money(), '"1.00"'],
    ['a toJSON that returns null', { toJSON: () => null }, 'null'],
    [
      'a toJSON that returns its own object',
      Object.create(
        {
          toJSON() {
            return this;
          },
        },
        { id: { value: 1, enumerable: true } },
      ),
      '{"id":1}',
    ],
    ['a Buffer', Buffer.from('a'), '{"type":"Buffer","data":[97]}'],
    ['boxed values', [Object('a'), Object(1), Object(false)], '["a",1,false]'],
    ['negative zero', -0, '0'],
    ['a lone surrogate', '\ud800', '"\\ud800"'],
    ['a list of a class', class extends Array {}.from([1]), '[1]'],
  ])('accepts %s', (_what, value, text) => {
    expect(jsonText({ a: value }, 'data')).toBe(`{"a":${text}}`);
    expect(jsonText({ b: new Contact(), a: value }, 'data')).toBe(`{"b":{"id":"c_1"},"a":${text}}`);
  });
});
