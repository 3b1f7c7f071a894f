import type { IncomingMessage } from 'node:http';
import { BodyBytes, unreadableBody } from './body-bytes.ts';
import type { RequestBody } from './messages.ts';
import { MAX_REQUEST_BYTES } from './read-body.ts';

/** How long a body may take to arrive, from when we begin to read it. */
export const BODY_READ_LIMIT_MS = 10_000;

/**
 * Obtains the body of a request in Node, whether the host has read it or not. Never hangs, never buffers without bound,
 * never rejects.
 *
 * A stream that nobody has read from yet is read here, even where `hostBody` is defined: body-parser 1 and
 * koa-bodyparser put `{}` in place of a body that they skipped. Call this in the same turn of the event loop in which
 * the host calls its middleware, or what arrives meanwhile may be lost.
 *
 * @param hostBody - what a parser of the host left, parsed or raw; `undefined` where there was none
 */
export async function readNodeBody(req: IncomingMessage, hostBody: unknown): Promise<RequestBody> {
  const consumed = req.readableDidRead;
  if (announcesNoBody(req) || (req.readableEnded && !consumed)) return { kind: 'none' };
  // The body is not read: Node drops it once the request is answered, so that the client gets to read the answer.
  if (Number(req.headers['content-length']) > MAX_REQUEST_BYTES) return unreadableBody('too_large');
  if (consumed) return toRequestBody(hostBody);
  if (req.destroyed) return unreadableBody('aborted');
  return collect(req);
}

/** RFC 9112 6.3: a request in HTTP/1 without either header has no content. HTTP/2 frames it by itself. */
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
    const received = new BodyBytes(MAX_REQUEST_BYTES);

    // The listeners stay, which is cheaper than removing them. What still arrives is drained, so that a client that is
    // still writing gets to read the answer; settling again does nothing.
    const settle = (body: RequestBody): void => {
      received.close();
      clearTimeout(timer);
      resolve(body);
    };
    const onData = (data: Buffer | string): void => {
      // A string if something before us has called setEncoding.
      const chunk =
        typeof data === 'string' ? Buffer.from(data, req.readableEncoding ?? 'utf8') : data;
      if (!received.add(chunk)) settle(unreadableBody('too_large'));
    };
    const onEnd = (): void => settle(received.take());
    const onClose = (): void => settle(unreadableBody('aborted'));

    const timer = setTimeout(() => settle(unreadableBody('timeout')), BODY_READ_LIMIT_MS);
    req.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
    // A listener alone does not resume a stream that something before us has paused.
    req.resume();
  });
}
