import type { AuthRequest, AuthResponse, RequestBody } from '@latchhook/core/adapter';
import type { Host, Reach } from './host.ts';
import type { HttpResponse, RequestToSend } from './send-request.ts';

const LIMIT = 16_384;

/** A response of Latchhook whose tokens are masked. */
export interface Comparable {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** The request that an adapter must pass on if the host has treated the body as `reach` says. */
export function asPlainData(requestToSend: RequestToSend, { mountPath, reach }: Host): AuthRequest {
  const [target = ''] = requestToSend.path.split('#');
  const [path = '', query = ''] = target.split('?');
  const headers: Record<string, string> = {};
  const authorizations: string[] = [];
  for (let index = 0; index < (requestToSend.headers?.length ?? 0); index += 2) {
    const [name = '', value = ''] = requestToSend.headers?.slice(index, index + 2) ?? [];
    // Node keeps the first value of a header that may come only once.
    headers[name] ??= value;
    if (name === 'authorization') authorizations.push(value);
  }
  const authorization = authorizations.length === 0 ? undefined : authorizations.join(', ');
  const body = bodyAt(reach, requestToSend, headers['content-type']);
  return {
    method: requestToSend.method,
    path,
    mountPath,
    query,
    headers,
    authorization,
    body,
    remoteAddress: undefined,
  };
}

function bodyAt(
  reach: Reach,
  requestToSend: RequestToSend,
  contentType: string | undefined,
): RequestBody {
  if (requestToSend.body === undefined || requestToSend.body.length === 0) return { kind: 'none' };
  const bytes = Buffer.from(requestToSend.body);
  const isLong = bytes.length > LIMIT;
  if (isLong && !requestToSend.chunked) return { kind: 'unreadable', reason: 'too_large' };
  if (reach === 'lost') return { kind: 'unreadable', reason: 'consumed' };
  if (reach === 'parsed' && contentType === 'application/json') {
    // A body with a Content-Encoding is rejected unread.
    return {
      kind: 'parsed',
      value: typeof requestToSend.body === 'string' ? JSON.parse(requestToSend.body) : {},
    };
  }
  return isLong ? { kind: 'unreadable', reason: 'too_large' } : { kind: 'raw', bytes };
}

/** The response that a client must receive. */
export function toReceived({ status, headers, body }: AuthResponse, method: string): Comparable {
  return {
    status,
    headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
    body: method === 'HEAD' ? '' : maskTokens(body),
  };
}

/** The received response without the headers that vary by host or time. */
export function withoutHostHeaders({ status, headers, body }: HttpResponse): Comparable {
  const { date, connection, 'x-powered-by': host, ...rest } = headers;
  return { status, headers: rest, body: maskTokens(body) };
}

function maskTokens(body: string): string {
  return body.replaceAll(/"(access_token|refresh_token)":"[^"]+"/g, '"$1":"..."');
}
