import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';

export interface RequestToSend {
  readonly method: string;
  readonly path: string;
  /** Alternating names and values, so that a name may come twice. */
  readonly headers?: readonly string[];
  readonly body?: string | Uint8Array;
  /** Send the body without announcing its length. */
  readonly chunked?: boolean;
}

export interface HttpResponse {
  readonly status: number;
  readonly statusText: string;
  /** Lower-cased names. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** Sends exactly this request: `fetch` would add headers. */
export async function sendRequest(
  port: number,
  requestToSend: RequestToSend,
): Promise<HttpResponse> {
  const { method, path, headers = [], body, chunked = false } = requestToSend;
  // Without `content-length` or `transfer-encoding` Node would add one of them.
  const length = body === undefined && method === 'GET' ? [] : contentLength(body);
  const framing = chunked ? ['transfer-encoding', 'chunked'] : length;
  return new Promise((resolve, reject) => {
    const sent = request({
      host: '127.0.0.1',
      port,
      method,
      path,
      agent: false,
      headers: ['host', 'localhost', ...headers, ...framing],
    });
    sent.on('error', reject);
    sent.on('response', (response) => {
      const { statusCode = 0, statusMessage = '', headers: received } = response;
      buffer(response).then((bytes) => {
        resolve({
          status: statusCode,
          statusText: statusMessage,
          headers: received,
          body: bytes.toString(),
        });
      }, reject);
    });
    sent.end(body);
  });
}

function contentLength(body: string | Uint8Array = ''): readonly string[] {
  return ['content-length', String(Buffer.byteLength(body))];
}
