import type { AuthRequest, AuthResponse, RequestBody } from '@latchhook/core/adapter';
import type { Host, Reach } from './host.ts';
import type { Answer, RequestToSend } from './send-request.ts';

const LIMIT = 16_384;

/** An answer of ours, without the secrets in it. */
export interface Comparable {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** The request as an adapter must pass it on, where the host left the body as `reach` says. */
export function asPlainData(asked: RequestToSend, { mountPath, reach }: Host): AuthRequest {
  const [target = ''] = asked.path.split('#');
  const [path = '', query = ''] = target.split('?');
  const headers: Record<string, string> = {};
  const authorizations: string[] = [];
  for (let index = 0; index < (asked.headers?.length ?? 0); index += 2) {
    const [name = '', value = ''] = asked.headers?.slice(index, index + 2) ?? [];
    // Of a header that may come only once, Node keeps the first.
    headers[name] ??= value;
    if (name === 'authorization') authorizations.push(value);
  }
  const authorization = authorizations.length === 0 ? undefined : authorizations.join(', ');
  const body = bodyAt(reach, asked, headers['content-type']);
  return {
    method: asked.method,
    path,
    mountPath,
    query,
    headers,
    authorization,
    body,
    remoteAddress: undefined,
  };
}

function bodyAt(reach: Reach, asked: RequestToSend, contentType: string | undefined): RequestBody {
  if (asked.body === undefined || asked.body.length === 0) return { kind: 'none' };
  const bytes = Buffer.from(asked.body);
  const isLong = bytes.length > LIMIT;
  if (isLong && !asked.chunked) return { kind: 'unreadable', reason: 'too_large' };
  if (reach === 'lost') return { kind: 'unreadable', reason: 'consumed' };
  if (reach === 'parsed' && contentType === 'application/json') {
    // A body with a Content-Encoding is rejected unread.
    return { kind: 'parsed', value: typeof asked.body === 'string' ? JSON.parse(asked.body) : {} };
  }
  return isLong ? { kind: 'unreadable', reason: 'too_large' } : { kind: 'raw', bytes };
}

/** The answer as it must come over the wire. */
export function onTheWire({ status, headers, body }: AuthResponse, method: string): Comparable {
  return {
    status,
    headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
    body: method === 'HEAD' ? '' : masked(body),
  };
}

/** The answer that came, without what the host or the time of day adds. */
export function whatCounts({ status, headers, body }: Answer): Comparable {
  const { date, connection, 'x-powered-by': host, ...rest } = headers;
  return { status, headers: rest, body: masked(body) };
}

function masked(body: string): string {
  return body.replaceAll(/"(access_token|refresh_token)":"[^"]+"/g, '"$1":"..."');
}
