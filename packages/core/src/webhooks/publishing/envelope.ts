import { Buffer } from 'node:buffer';
import type { AccountId } from '../../account-id.ts';
import { jsonText } from './json-text.ts';

/** The largest body of a webhook that is sent. */
export const MAX_ENVELOPE_BYTES = 256 * 1024;

/** What a body says, whatever the event. */
export interface Envelope {
  /** Neither `id` nor `type` has a character that JSON escapes. */
  readonly id: string;
  readonly type: string;
  /** When it happened, ms since 1970. */
  readonly atMs: number;
  readonly accountId: AccountId;
  readonly data: unknown;
}

/**
 * The bytes of every attempt, as text: built once, since a signature is of bytes, and receivers compare them.
 *
 * @throws {TypeError} for data that JSON cannot hold
 * @throws {RangeError} where it is too large
 */
export function envelopeBody({ id, type, atMs, accountId, data }: Envelope): string {
  const text = isObject(data) ? jsonText(data) : '';
  // An object with a `toJSON` may turn out as something else.
  if (!text.startsWith('{')) throw new TypeError('data must be an object, such as { contactId }');
  // Nothing else around the data needs escapes.
  const account = JSON.stringify(accountId);
  const around = `{"id":"${id}","type":"${type}","timestamp":"${isoTime(atMs)}","account_id":${account}`;
  const body = `${around},"data":${text}}`;
  if (Buffer.byteLength(body) <= MAX_ENVELOPE_BYTES) return body;
  throw new RangeError(
    `data is too large: a body may have ${MAX_ENVELOPE_BYTES} bytes; publish a link to it instead`,
  );
}

let isoTimeMs = Number.NaN;
let isoTimeText = '';

/** Remembers the last text, for all that is published in the same millisecond. */
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
