import type { IncomingMessage } from 'node:http';

/** The result of reading a body. `aborted`: the sender has disconnected, and nobody waits for a response. */
export type RawBody =
  | { readonly kind: 'raw'; readonly bytes: string | Uint8Array }
  | { readonly kind: 'too_large' }
  | { readonly kind: 'aborted' };

/**
 * Reads the bytes of a body: as an earlier middleware has kept them, or else from the stream.
 *
 * @param kept - values that hosts and parsers may have set; the first raw body is used
 * @throws {Error} if a parser has read the body without keeping the raw bytes
 */
export async function readRawBody(
  req: IncomingMessage,
  kept: readonly unknown[],
  maxBytes: number,
): Promise<RawBody> {
  const bytes = kept.find(isRaw);
  if (bytes !== undefined) {
    return Buffer.byteLength(bytes) <= maxBytes ? { kind: 'raw', bytes } : { kind: 'too_large' };
  }
  if (req.readableDidRead) {
    throw new Error(
      'The body of a webhook was read before it could be verified, and its bytes are lost. ' +
        'Mount the webhook before the body parser, or parse its path with express.raw(), ' +
        'or have the parser keep the bytes: as req.rawBody, or in Koa as ctx.request.rawBody, ' +
        'as koa-bodyparser does by itself. koa-body leaves them under its option includeUnparsed.',
    );
  }
  // A parser has read an empty body. That destroys the stream, which then looks as if the sender had disconnected.
  if (req.readableEnded) return { kind: 'raw', bytes: '' };
  if (Number(req.headers['content-length']) > maxBytes) return { kind: 'too_large' };
  return collect(req, maxBytes);
}

function isRaw(body: unknown): body is string | Uint8Array {
  return typeof body === 'string' || body instanceof Uint8Array;
}

/**
 * Grows the one buffer for all chunks. Separate chunks of one byte would take far more memory, and anybody may send a
 * MiB of them before the signature is checked.
 */
function grown(buffer: Buffer, leastBytes: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(Math.max(leastBytes, 2 * buffer.length));
  buffer.copy(larger);
  return larger;
}

function collect(req: IncomingMessage, maxBytes: number): Promise<RawBody> {
  return new Promise((resolve) => {
    if (req.destroyed) resolve({ kind: 'aborted' });
    let buffer: Buffer = Buffer.alloc(0);
    let receivedBytes = 0;
    req.on('data', (data: Buffer | string) => {
      const chunk =
        typeof data === 'string' ? Buffer.from(data, req.readableEncoding ?? 'utf8') : data;
      const beforeBytes = receivedBytes;
      receivedBytes += chunk.length;
      // The rest is read and dropped, so that the sender can read the response.
      if (receivedBytes <= maxBytes) {
        if (receivedBytes > buffer.length) buffer = grown(buffer, receivedBytes);
        chunk.copy(buffer, beforeBytes);
      } else {
        buffer = Buffer.alloc(0);
        resolve({ kind: 'too_large' });
      }
    });
    req.on('end', () => resolve({ kind: 'raw', bytes: buffer.subarray(0, receivedBytes) }));
    const aborted = (): void => resolve({ kind: 'aborted' });
    req.on('error', aborted).on('close', aborted);
    // A listener alone does not resume a stream that an earlier middleware has paused.
    req.resume();
  });
}
