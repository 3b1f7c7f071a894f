import type { IncomingMessage } from 'node:http';

/** The result of reading a body. `aborted`: the sender has disconnected, and nobody waits for a response. */
export type RawBody =
  | { readonly kind: 'raw'; readonly bytes: string | Uint8Array }
  | { readonly kind: 'too_large' }
  | { readonly kind: 'aborted' };

/** The property of a parsed body in which koa-body up to version 6 keeps the text; later ones set `rawBody`. */
const UNPARSED_BODY = Symbol.for('unparsedBody');

/**
 * Reads the bytes of a body. If an earlier middleware has read the stream, uses the bytes that it stored.
 *
 * @param storedBodies - properties in which a parser may have stored the body; the first raw one is used
 * @throws {Error} if a parser has read the body without storing the raw bytes
 */
export async function readRawBody(
  req: IncomingMessage,
  storedBodies: readonly unknown[],
  maxBytes: number,
): Promise<RawBody> {
  const bytes = storedBodies.flatMap((body) => [body, Object(body)[UNPARSED_BODY]]).find(isRaw);
  if (bytes !== undefined) {
    return Buffer.byteLength(bytes) <= maxBytes ? { kind: 'raw', bytes } : { kind: 'too_large' };
  }
  if (req.readableDidRead) {
    throw new Error(
      'The body of a webhook was read before it could be verified, and its bytes are lost. ' +
        'Mount the webhook before the body parser, or parse its path with ' +
        "express.raw({ type: '*/*', limit: '1mb' }), " +
        'or have the parser keep the bytes: as req.rawBody, or in Koa as ctx.request.rawBody, ' +
        'as koa-bodyparser does by itself. koa-body leaves them under its option includeUnparsed. ' +
        'For receiveWebhook, pass kept bytes as its third argument; for verifyWebhook, as body.',
    );
  }
  // A parser that has read an empty body leaves the stream destroyed, as if the sender had disconnected.
  if (req.readableEnded) return { kind: 'raw', bytes: '' };
  if (Number(req.headers['content-length']) > maxBytes) return { kind: 'too_large' };
  return readStream(req, maxBytes);
}

function isRaw(body: unknown): body is string | Uint8Array {
  return typeof body === 'string' || body instanceof Uint8Array;
}

/**
 * Copies the buffer to one of twice its size. All chunks share one buffer because separate chunks of one byte would
 * take far more memory, and anybody may send a MiB of them before the signature is checked.
 */
function enlarge(buffer: Buffer, minBytes: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(Math.max(minBytes, 2 * buffer.length));
  buffer.copy(larger);
  return larger;
}

function readStream(req: IncomingMessage, maxBytes: number): Promise<RawBody> {
  return new Promise((resolve) => {
    if (req.destroyed) resolve({ kind: 'aborted' });
    let buffer: Buffer = Buffer.alloc(0);
    let receivedBytes = 0;
    req.on('data', (data: Buffer | string) => {
      const chunk =
        typeof data === 'string' ? Buffer.from(data, req.readableEncoding ?? 'utf8') : data;
      const offset = receivedBytes;
      receivedBytes += chunk.length;
      // What exceeds the limit is read and dropped, so that the sender can read the response.
      if (receivedBytes <= maxBytes) {
        if (receivedBytes > buffer.length) buffer = enlarge(buffer, receivedBytes);
        chunk.copy(buffer, offset);
      } else {
        buffer = Buffer.alloc(0);
        resolve({ kind: 'too_large' });
      }
    });
    req.on('end', () => resolve({ kind: 'raw', bytes: buffer.subarray(0, receivedBytes) }));
    const abort = (): void => resolve({ kind: 'aborted' });
    req.on('error', abort).on('close', abort);
    // An earlier middleware may have paused the stream, and a `data` listener does not resume it.
    req.resume();
  });
}
