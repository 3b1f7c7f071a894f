import type { IncomingMessage } from 'node:http';

/** The size of the largest event, and some KiB for the fields around its data. */
const MAX_BODY_BYTES = 260 * 1024;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The parsed body of a request, or why it is rejected. */
export type JsonBody =
  | { readonly outcome: 'read'; readonly value: unknown }
  | {
      readonly outcome: 'rejected';
      readonly status: 400 | 413 | 415;
      readonly description: string;
    };

/**
 * Reads a body that no parser has read. The promise never rejects: an invalid body is an outcome. Body parsers throw
 * instead, and the framework then answers with a stack trace, not with JSON.
 */
export async function readJsonBody(req: IncomingMessage): Promise<JsonBody> {
  const [mediaType = ''] = (req.headers['content-type'] ?? '').split(';');
  if (mediaType.trim().toLowerCase() !== 'application/json' || 'content-encoding' in req.headers) {
    return rejected(415, 'the body must be application/json, without Content-Encoding');
  }
  const bytes = await readBytes(req);
  if (bytes === 'too_large') return rejected(413, `the body may have ${MAX_BODY_BYTES} bytes`);
  if (bytes === 'aborted') return rejected(400, 'the body broke off');
  try {
    return { outcome: 'read', value: JSON.parse(utf8.decode(bytes)) };
  } catch {
    return rejected(400, 'the body is not JSON in UTF-8');
  }
}

function readBytes(req: IncomingMessage): Promise<Buffer | 'too_large' | 'aborted'> {
  return new Promise((resolve) => {
    let chunks: Buffer[] = [];
    let length = 0;
    req.on('data', (chunk: Buffer) => {
      length += chunk.length;
      // What exceeds the limit is read and dropped, so that the client can read the response.
      if (length > MAX_BODY_BYTES) {
        chunks = [];
        return resolve('too_large');
      }
      chunks.push(chunk);
    });
    req.on('end', () => resolve(Buffer.concat(chunks)));
    req.on('close', () => resolve('aborted'));
    req.on('error', () => resolve('aborted'));
  });
}

function rejected(status: 400 | 413 | 415, description: string): JsonBody {
  return { outcome: 'rejected', status, description };
}
