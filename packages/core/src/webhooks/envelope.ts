/** The largest body that is sent, in bytes. */
export const MAX_BODY_BYTES = 256 * 1024;

/** What a body says, whatever the event. */
export interface Envelope {
  readonly id: string;
  readonly type: string;
  /** When it happened, ms since 1970. */
  readonly atMs: number;
  readonly accountId: number;
  readonly data: unknown;
}

/**
 * The bytes of every attempt, as text: built once, since a signature is of bytes, and receivers compare them.
 *
 * Silent loss is refused: what `JSON.stringify` leaves out or turns into `null` (`undefined`, functions, NaN)
 * would reach receivers as data that nobody published.
 *
 * @throws {TypeError} for data that JSON cannot hold
 * @throws {RangeError} where it is too large
 */
export function envelopeBody({ id, type, atMs, accountId, data }: Envelope): string {
  if (!isObject(data)) throw new TypeError('data must be an object, such as { contactId }');
  const timestamp = isoTime(atMs);
  const envelope = { id, type, timestamp, account_id: accountId, data };
  // With a function that is shown every value, the engine takes half as long again.
  const body = isPlain(data, 0) ? JSON.stringify(envelope) : JSON.stringify(envelope, jsonSafe);
  if (Buffer.byteLength(body) <= MAX_BODY_BYTES) return body;
  throw new RangeError(
    `data is too large: a body may have ${MAX_BODY_BYTES} bytes; publish a link to it instead`,
  );
}

/** How deep it is looked; what lies deeper, or in a circle, is not called plain. */
const PLAIN_DEPTH = 8;

/** Whether `JSON.stringify` writes all of a value, and as it is: `jsonSafe` would find no mistake. */
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
      return Array.isArray(value) ? isPlainArray(value, depth) : isPlainRecord(value, depth);
    default:
      return false;
  }
}

function isPlainArray(array: readonly unknown[], depth: number): boolean {
  if ('toJSON' in array) return false;
  for (const item of array) if (!isPlain(item, depth + 1)) return false;
  return true;
}

function isPlainRecord(record: object, depth: number): boolean {
  if (Object.getPrototypeOf(record) !== Object.prototype || 'toJSON' in record) return false;
  for (const name in record)
    if (!isPlain(record[name as keyof typeof record], depth + 1)) return false;
  return true;
}

let isoTimeMs = Number.NaN;
let isoTimeText = '';

/** Remembers the last one: what is published in the same millisecond is told the same. */
function isoTime(atMs: number): string {
  if (atMs !== isoTimeMs) {
    isoTimeText = new Date(atMs).toISOString();
    isoTimeMs = atMs;
  }
  return isoTimeText;
}

/** Called by `JSON.stringify` with every value, after its `toJSON`: what this sees is what is written. */
function jsonSafe(key: string, value: unknown): unknown {
  const mistake = mistakeIn(value);
  if (mistake === null) return value;
  throw new TypeError(`data cannot be sent as JSON: ${JSON.stringify(key)} is ${mistake}`);
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

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
