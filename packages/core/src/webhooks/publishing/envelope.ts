import { Buffer } from 'node:buffer';
import type { AccountId } from '../../account-id.ts';
import { jsonText } from '../../json/json-text.ts';

/** The largest body of a delivery, in bytes. */
export const MAX_ENVELOPE_BYTES = 256 * 1024;

/** The content of a body. */
export interface Envelope {
  /** Has no character that JSON escapes; neither has `type`. */
  readonly id: string;
  readonly type: string;
  /** When the event happened, ms since 1970. */
  readonly atMs: number;
  readonly accountId: AccountId;
  readonly data: unknown;
}

/**
 * Builds the body of every attempt as text. It is built once, because the signature covers its bytes, and receivers may
 * compare them.
 *
 * @throws {TypeError} for data that JSON cannot hold
 * @throws {RangeError} if the body is too large
 */
export function envelopeBody({ id, type, atMs, accountId, data }: Envelope): string {
  const text = isObject(data) ? jsonText(data, `the data of ${type}`) : '';
  // The `toJSON` of an object may have returned another type.
  if (!text.startsWith('{')) throw new TypeError(`the data of ${type} must be an object`);
  // Only the account id may need escapes.
  const account = JSON.stringify(accountId);
  const around = `{"id":"${id}","type":"${type}","timestamp":"${isoTime(atMs)}","account_id":${account}`;
  const body = `${around},"data":${text}}`;
  if (Buffer.byteLength(body) <= MAX_ENVELOPE_BYTES) return body;
  throw new RangeError(
    `the data of ${type} is too large: a body may have ${MAX_ENVELOPE_BYTES} bytes; publish a link to it instead`,
  );
}

let isoTimeMs = Number.NaN;
let isoTimeText = '';

/** Caches the last text, for events that are published in the same millisecond. */
function isoTime(atMs: number): string {
  if (atMs !== isoTimeMs) {
    isoTimeText = new Date(atMs).toISOString();
    isoTimeMs = atMs;
  }
  return isoTimeText;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
