import type { IncomingMessage } from 'node:http';
import { BodyBytes, unreadableBody } from './body-bytes.ts';
import type { RequestBody } from './messages.ts';
import { MAX_REQUEST_BYTES } from './read-body.ts';

/** How long a body may take to arrive, from the beginning of reading. */
export const BODY_READ_LIMIT_MS = 10_000;

/**
 * Returns the body of a request in Node, whether the host has read it or not. Never hangs, never buffers without limit,
 * never rejects.
 *
 * Reads a stream that the host has not read from, even if `hostBody` is defined: body-parser 1 and koa-bodyparser set
 * `{}` for a body that they skip. Call this in the same turn of the event loop in which the host calls its middleware:
 * a chunk that arrives earlier may be lost.
 *
 * @param hostBody - the body that a parser of the host has set, parsed or raw; `undefined` if there is none
 */
export async function readNodeBody(req: IncomingMessage, hostBody: unknown): Promise<RequestBody> {
  const isReadByHost = req.readableDidRead;
  if (announcesNoBody(req) || (req.readableEnded && !isReadByHost)) return { kind: 'none' };
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

    // The listeners are not removed, because that costs more. They drain the rest of the body, so that a client that is
    // still writing can read the response. A second call of `settle` does nothing.
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
