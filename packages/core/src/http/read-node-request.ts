import type { IncomingMessage } from 'node:http';
import type { RequestBody, UnreadableReason } from './messages.ts';
import { MAX_REQUEST_BYTES } from './read-fields.ts';

// What a host on Node needs to pass on a request: its body, and its `Authorization` header.

/** How long a body may take to arrive, from the beginning of reading, ms. */
export const BODY_READ_LIMIT_MS = 10_000;

/**
 * Returns the body of a request in Node, whether the host has read it or not. Never hangs, never buffers without limit,
 * never rejects.
 *
 * Reads a stream that the host has not read from, even if `hostBody` is defined: body-parser 1 and koa-bodyparser set
 * `{}` for a body that they skip. Call this in the same turn of the event loop in which the host calls its middleware:
 * a chunk that arrives before the call may be lost.
 *
 * @param hostBody - the body that a parser of the host has set, parsed or raw; `undefined` if there is none
 */
export async function readNodeBody(req: IncomingMessage, hostBody: unknown): Promise<RequestBody> {
  const isReadByHost = req.readableDidRead;
  const hasEndedEmpty = req.readableEnded && !isReadByHost;
  if (announcesNoBody(req) || hasEndedEmpty) return { kind: 'none' };
  // The body is not read: Node discards it after the response, so that the client can read the response.
  if (Number(req.headers['content-length']) > MAX_REQUEST_BYTES) return unreadableBody('too_large');
  if (isReadByHost) return toRequestBody(hostBody);
  if (req.destroyed) return unreadableBody('aborted');
  return collect(req);
}

/** RFC 9112 6.3: a request in HTTP/1 without either header has no content. HTTP/2 needs no header. */
function announcesNoBody({ headers, httpVersionMajor }: IncomingMessage): boolean {
  const length = headers['content-length'];
  if (length !== undefined) return Number(length) === 0;
  return headers['transfer-encoding'] === undefined && httpVersionMajor < 2;
}

function toRequestBody(hostBody: unknown): RequestBody {
  if (hostBody === undefined) return unreadableBody('consumed');
  if (typeof hostBody === 'string') return { kind: 'raw', bytes: Buffer.from(hostBody) };
  if (hostBody instanceof Uint8Array) return { kind: 'raw', bytes: hostBody };
  return { kind: 'parsed', value: hostBody };
}

function collect(req: IncomingMessage): Promise<RequestBody> {
  return new Promise((resolve) => {
    const bytes = new BodyBytes(MAX_REQUEST_BYTES);

    // The listeners stay until the end: they drain the rest of the body, so that a client that is still writing can
    // read the response. A second call of `settle` does nothing.
    const settle = (body: RequestBody): void => {
      bytes.close();
      clearTimeout(timer);
      resolve(body);
    };
    const onData = (data: Buffer | string): void => {
      // A string if code of the host has called `setEncoding`.
      const chunk =
        typeof data === 'string' ? Buffer.from(data, req.readableEncoding ?? 'utf8') : data;
      if (!bytes.add(chunk)) settle(unreadableBody('too_large'));
    };
    const onEnd = (): void => settle(bytes.take());
    const onClose = (): void => settle(unreadableBody('aborted'));

    const timer = setTimeout(() => settle(unreadableBody('timeout')), BODY_READ_LIMIT_MS);
    req.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
    // Adding a listener does not resume a stream that code of the host has paused.
    req.resume();
  });
}

/**
 * Collects the bytes of a body, up to a limit, in one buffer of at most twice their number. A list of chunks would need
 * far more memory for chunks of one byte, which anybody can send.
 */
export class BodyBytes {
  readonly #maxBytes: number;
  #buffer: Uint8Array = new Uint8Array(0);
  #length = 0;
  #isClosed = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Returns `false`, and drops all bytes, if the chunk exceeds the limit; returns `false` for any chunk after the end.
   */
  add(chunk: Uint8Array): boolean {
    if (this.#length + chunk.length > this.#maxBytes) this.close();
    if (this.#isClosed) return false;
    const offset = this.#length;
    this.#length += chunk.length;
    // Nearly every body of a request to Latchhook is one chunk, and needs no copy.
    if (offset === 0) this.#buffer = chunk;
    else this.#append(chunk, offset);
    return true;
  }

  /** Ends the body, and returns it. */
  take(): RequestBody {
    const bytes = this.#buffer.subarray(0, this.#length);
    this.close();
    return bytes.length === 0 ? { kind: 'none' } : { kind: 'raw', bytes };
  }

  /** Ends the body, and drops its bytes. */
  close(): void {
    this.#isClosed = true;
    this.#buffer = new Uint8Array(0);
    this.#length = 0;
  }

  #append(chunk: Uint8Array, offset: number): void {
    // Always true for the second chunk: the buffer is then the first chunk itself, whose memory may belong to Node.
    if (this.#length > this.#buffer.length) {
      const largerBuffer = Buffer.allocUnsafeSlow(Math.max(this.#length, 2 * offset));
      largerBuffer.set(this.#buffer);
      this.#buffer = largerBuffer;
    }
    this.#buffer.set(chunk, offset);
  }
}

/** A body that was not read to its end. */
export function unreadableBody(reason: UnreadableReason): RequestBody {
  return { kind: 'unreadable', reason };
}

/** The part of Node's `IncomingMessage` that {@link soleAuthorization} looks at. */
export interface IncomingHeaders {
  readonly headers: { readonly authorization?: string | undefined };
  /** Names and values, alternating, as received. */
  readonly rawHeaders: readonly string[];
}

/**
 * The `Authorization` header of a request in Node, for {@link Bearer.check}.
 *
 * Security: Node keeps the first of two `Authorization` headers and drops the second silently, which may be the one
 * that a proxy has checked. This joins both, as RFC 9110 5.3 joins repeated fields, into a value that is not a valid
 * token, so that the check responds with 401.
 */
export function soleAuthorization(request: IncomingHeaders): string | undefined {
  const { authorization } = request.headers;
  if (authorization === undefined) return undefined;
  const { rawHeaders } = request;
  let isFound = false;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (!isAuthorization(rawHeaders[index])) continue;
    if (isFound) return joinAll(rawHeaders);
    isFound = true;
  }
  return authorization;
}

function joinAll(rawHeaders: readonly string[]): string {
  return rawHeaders
    .filter((_, index) => index % 2 === 1 && isAuthorization(rawHeaders[index - 1]))
    .join(', ');
}

function isAuthorization(name: string | undefined): boolean {
  // The length is compared first, so that hardly any header is copied to lower case.
  return name?.length === 13 && name.toLowerCase() === 'authorization';
}
