/** How deep `isPlain` looks: deeper data, and cycles, count as not plain. */
const PLAIN_DEPTH = 8;

/**
 * An object as JSON. What `JSON.stringify` would leave out or turn into `null` (`undefined`, functions, NaN) is refused
 * rather than lost: receivers would read something that nobody said.
 *
 * @throws {TypeError} for what JSON cannot hold; the place is named, the value is not
 */
export function jsonText(data: object): string {
  // With a replacer, JSON.stringify takes 1.5 times as long.
  return isPlain(data, 0) ? JSON.stringify(data) : JSON.stringify(data, refuseMistakes);
}

/**
 * Whether `JSON.stringify` writes all of a value as it is, so that there is nothing to refuse. Not detected are values
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
      if (depth === PLAIN_DEPTH || 'toJSON' in value) return false;
      return Array.isArray(value) ? isPlainArray(value, depth) : isPlainRecord(value, depth);
    default:
      return false;
  }
}

function isPlainArray(array: readonly unknown[], depth: number): boolean {
  // By index, as `JSON.stringify` does: its iterator may yield something else.
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
