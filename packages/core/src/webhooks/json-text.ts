/** How deep it is looked; what lies deeper, or in a circle, is not called plain. */
const PLAIN_DEPTH = 8;

/**
 * An object as JSON. Silent loss is refused: what `JSON.stringify` leaves out or turns into `null` (`undefined`,
 * functions, NaN) would reach whoever reads it as something that nobody said.
 *
 * @throws {TypeError} for what JSON cannot hold; the place is named, the value is not
 */
export function jsonText(data: object): string {
  // To be shown every value takes JSON.stringify half as long again.
  return isPlain(data, 0) ? JSON.stringify(data) : JSON.stringify(data, refuseMistakes);
}

/**
 * Whether `JSON.stringify` writes all of a value, and as it is: there is nothing to refuse. Data that answers otherwise
 * each time it is asked, such as a getter that counts, is not found out.
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
      if (depth === PLAIN_DEPTH || 'toJSON' in value) return false;
      return Array.isArray(value) ? isPlainArray(value, depth) : isPlainRecord(value, depth);
    default:
      return false;
  }
}

function isPlainArray(array: readonly unknown[], depth: number): boolean {
  if (Object.getPrototypeOf(array) !== Array.prototype) return false;
  // By index, as it is written: it may iterate over something else.
  for (let at = 0; at < array.length; at += 1) if (!isPlain(array[at], depth + 1)) return false;
  return true;
}

function isPlainRecord(record: object, depth: number): boolean {
  if (Object.getPrototypeOf(record) !== Object.prototype) return false;
  for (const name in record) {
    if (!isPlain(record[name as keyof typeof record], depth + 1)) return false;
  }
  return true;
}

/** Called by `JSON.stringify` with every value, after its `toJSON`: what this sees is what is written. */
function refuseMistakes(key: string, value: unknown): unknown {
  const mistake = mistakeIn(value);
  if (mistake === null) return value;
  const place = key === '' ? 'it' : JSON.stringify(key);
  throw new TypeError(`data cannot be sent as JSON: ${place} is ${mistake}`);
}

function mistakeIn(value: unknown): string | null {
  switch (typeof value) {
    case 'undefined':
      return 'undefined; leave it out, or say null';
    case 'bigint':
      return 'a BigInt; send it as text';
    case 'number':
      return Number.isFinite(value) ? null : 'no finite number';
    case 'function':
    case 'symbol':
      return `a ${typeof value}`;
    case 'object':
      return value instanceof Map || value instanceof Set ? 'a Map or Set; send an array' : null;
    default:
      return null;
  }
}
