import { lossInJson } from './loss-in-json.ts';

/** How deep `isPlain` looks: deeper data, and cycles, count as not plain. */
const PLAIN_DEPTH = 8;

/** What parsers of receivers accept differs: some reject data that is nested deeper than this. */
const MAX_DEPTH = 500;

const { toJSON: dateToJSON } = Date.prototype;

/**
 * An object as JSON. What `JSON.stringify` would leave out or change (`undefined`, functions, NaN, a promise) is
 * rejected rather than lost: receivers would read something that nobody said.
 *
 * @throws {TypeError} for what JSON cannot hold; the place is named, the value is not
 * @throws {RangeError} for data that is nested too deep
 */
export function jsonText(data: object): string {
  // With a replacer, JSON.stringify takes 1.5 times as long.
  return isPlain(data, 0) ? JSON.stringify(data) : JSON.stringify(data, rejectingLoss());
}

/**
 * Whether `JSON.stringify` writes all of a value as it is, so that there is nothing to reject. Not detected are values
 * that differ each time they are read, such as a getter that counts.
 */
function isPlain(value: unknown, depth: number): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true;
    case 'number':
      return Number.isFinite(value);
    case 'object':
      if (value === null) return true;
      if (depth === PLAIN_DEPTH) return false;
      if ('toJSON' in value) return isPlainDate(value);
      return Array.isArray(value) ? isPlainArray(value, depth) : isPlainRecord(value, depth);
    default:
      return false;
  }
}

function isPlainArray(array: readonly unknown[], depth: number): boolean {
  // By index, as `JSON.stringify` does: its iterator may yield something else.
  for (let at = 0; at < array.length; at += 1) if (!isPlain(array[at], depth + 1)) return false;
  return Object.keys(array).length === array.length && hasNoSymbols(array);
}

function isPlainRecord(record: object, depth: number): boolean {
  if (Object.getPrototypeOf(record) !== Object.prototype) return false;
  let isEmpty = true;
  for (const name in record) {
    if (!isPlain(record[name as keyof typeof record], depth + 1)) return false;
    isEmpty = false;
  }
  // What is not enumerable counts if there is nothing else. `Reflect.ownKeys` takes long.
  return isEmpty ? Reflect.ownKeys(record).length === 0 : hasNoSymbols(record);
}

function hasNoSymbols(value: object): boolean {
  return Object.getOwnPropertySymbols(value).length === 0;
}

function isPlainDate(value: { readonly toJSON: unknown }): boolean {
  return value.toJSON === dateToJSON && value instanceof Date && Number.isFinite(value.getTime());
}

type Replacer = (this: object, key: string, value: unknown) => unknown;

/** Called by `JSON.stringify` with every value, after its `toJSON`: what this sees is what is written. */
function rejectingLoss(): Replacer {
  /** The way to the value at hand: each object on it, and the key that it lies under. */
  const way: { readonly key: string; readonly value: object }[] = [];
  return function rejectLoss(key, value) {
    while (way.length > 0 && way.at(-1)?.value !== this) way.pop();
    const loss = lossInJson(value, this, key);
    if (loss !== null) {
      const place = pathOf([...way.map((step) => step.key), key]);
      const what = key === '' && way.length === 0 ? 'it' : JSON.stringify(key);
      throw new TypeError(`${place} cannot be sent as JSON: ${what} is ${loss}`);
    }
    if (typeof value !== 'object' || value === null) return value;
    if (way.length === MAX_DEPTH) {
      throw new RangeError(`data is nested too deep: it may have ${MAX_DEPTH} levels`);
    }
    way.push({ key, value });
    return value;
  };
}

/** @param keys - the first is that of the data itself, which is empty */
function pathOf([, ...keys]: readonly string[]): string {
  const steps = keys.map((key) => (/^\w+$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`));
  return `data${steps.join('')}`;
}
