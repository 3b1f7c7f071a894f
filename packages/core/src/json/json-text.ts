import { lossInJson } from './loss-in-json.ts';

/** The largest depth for `isPlain`: deeper data, and cycles, do not count as plain. */
const PLAIN_DEPTH = 8;

/** The largest depth of an object: some JSON parsers reject deeper ones. */
const MAX_DEPTH = 500;

const { toJSON: dateToJSON } = Date.prototype;

/**
 * Serialises an object as JSON. Values that `JSON.stringify` would omit or change (`undefined`, functions, NaN, a
 * promise) are rejected, because receivers would otherwise get other data than the host has passed.
 *
 * @param what - names the object in errors: `the data of Invoice.Paid`
 * @throws {TypeError} for a value that JSON cannot represent; the message names its path, not the value
 * @throws {RangeError} for data that is nested too deep
 */
export function jsonText(data: object, what: string): string {
  // `JSON.stringify` is much slower with a replacer.
  return isPlain(data, 0) ? JSON.stringify(data) : JSON.stringify(data, rejectingLoss(what));
}

/**
 * Whether `JSON.stringify` writes a value unchanged and completely, so that there is nothing to reject. It does not
 * detect values that differ each time they are read, such as a getter that counts.
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
  // By index, like `JSON.stringify`: an iterator may yield other values.
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
  // An object without enumerable fields must have no other fields either, or JSON would lose all of them.
  // `Reflect.ownKeys` is slow, so it is called only for such objects.
  return isEmpty ? Reflect.ownKeys(record).length === 0 : hasNoSymbols(record);
}

function hasNoSymbols(value: object): boolean {
  return Object.getOwnPropertySymbols(value).length === 0;
}

function isPlainDate(value: { readonly toJSON: unknown }): boolean {
  return value.toJSON === dateToJSON && value instanceof Date && Number.isFinite(value.getTime());
}

type Replacer = (this: object, key: string, value: unknown) => unknown;

/**
 * Creates a replacer that rejects values that JSON would lose. `JSON.stringify` calls it with every value, after
 * `toJSON`.
 */
function rejectingLoss(what: string): Replacer {
  /** The path to the current value: each object on it, with its key. */
  const path: { readonly key: string; readonly value: object }[] = [];
  return function rejectLoss(key, value) {
    // `this` is the object that has the value. The objects after it on the path are finished.
    while (path.length > 0 && path.at(-1)?.value !== this) path.pop();
    const loss = lossInJson(value, this, key);
    if (loss !== null) {
      const lostPath = pathOf([...path.map((step) => step.key), key]);
      throw new TypeError(`${what} cannot be sent as JSON: ${lostPath} is ${loss}`);
    }
    if (typeof value !== 'object' || value === null) return value;
    if (path.length === MAX_DEPTH) {
      throw new RangeError(`${what} is nested too deep: it may have ${MAX_DEPTH} levels`);
    }
    path.push({ key, value });
    return value;
  };
}

/** @param keys - the first is the empty key of the object itself */
function pathOf([, ...keys]: readonly string[]): string {
  const steps = keys.map((key) => (/^\w+$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`));
  return steps.join('').replace(/^\./, '') || 'it';
}
