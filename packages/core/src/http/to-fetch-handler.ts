import { assertNames, type NamesOf } from '../assert-names.ts';
import { ConfigError } from '../errors.ts';
import { assertRoutes } from './assert-routes.ts';
import type { HttpRoutes } from './http-routes.ts';
import type { AuthRequest, AuthResponse, RequestBody, UnreadableReason } from './messages.ts';
import { MAX_REQUEST_BYTES } from './read-fields.ts';
import { BODY_READ_LIMIT_MS, BodyBytes, unreadableBody } from './read-node-request.ts';

/** Options of {@link toFetchHandler}. */
export interface FetchHandlerOptions {
  /** The path below which the routes are mounted, without a slash at its end: `/auth`. Default: `""`, the root. */
  readonly mountPath?: string;
}

const NAMES: NamesOf<FetchHandlerOptions> = { mountPath: true };

/** The properties of a client that a `Request` does not have. */
export interface FetchClientInfo {
  /**
   * The client's address, for throttling, as the host's server reports it: never from a header that the client can
   * write. Any spelling of one IP address; all other values, such as lists, count as one address. Absent: logins are
   * throttled only by name, and the process warns once.
   */
  readonly remoteAddress?: string | undefined;
}

/** Returns `undefined`, and leaves the body unread, if the path is not one of Latchhook's. */
export type FetchHandler = (
  request: Request,
  client?: FetchClientInfo,
) => Promise<Response | undefined>;

/**
 * Makes a handler for hosts that speak Fetch (Hono, Next.js route handlers, Remix). The handler never rejects.
 *
 * @throws {ConfigError} `auth_invalid`, `options_invalid`, `option_unknown`, `mount_path_invalid`
 *
 * @example
 * ```ts
 * import { type Auth, toFetchHandler } from '@latchhook/core';
 *
 * declare const auth: Auth;
 * const handle = toFetchHandler(auth, { mountPath: '/auth' });
 *
 * export async function fetch(request: Request): Promise<Response> {
 *   return (await handle(request)) ?? new Response('Not found', { status: 404 });
 * }
 * ```
 */
export function toFetchHandler(
  auth: { readonly http: HttpRoutes },
  options: FetchHandlerOptions = {},
): FetchHandler {
  assertRoutes('toFetchHandler', auth);
  assertNames('toFetchHandler', 'options_invalid', options, NAMES);
  const { mountPath = '' } = options;
  if (!isMountPath(mountPath)) {
    throw new ConfigError(
      'mount_path_invalid',
      "toFetchHandler.mountPath must begin with a slash and end without one, such as '/auth'; leave it out for the root",
    );
  }
  return async (request, client = {}) => {
    const { pathname, search } = new URL(request.url);
    if (!pathname.startsWith(`${mountPath}/`)) return undefined;
    const path = pathname.slice(mountPath.length);
    if (!auth.http.owns(path)) return undefined;
    const authRequest: AuthRequest = {
      method: request.method,
      path,
      mountPath,
      query: search.slice(1),
      headers: Object.fromEntries(request.headers),
      // Fetch joins repeated headers.
      authorization: request.headers.get('authorization') ?? undefined,
      body: await readFetchBody(request),
      remoteAddress: client.remoteAddress,
    };
    return toResponse(request, await auth.http.handle(authRequest));
  };
}

/** Accepts `unknown`, because a host without types may pass anything. */
function isMountPath(path: unknown): boolean {
  if (typeof path !== 'string') return false;
  return path === '' || (path.startsWith('/') && !path.endsWith('/'));
}

function toResponse({ method }: Request, authResponse: AuthResponse): Response {
  const { status, headers, cookies = [], body } = authResponse;
  // `Response` rejects even an empty string if the status allows no content.
  const content = method === 'HEAD' || body === '' ? null : body;
  const response = new Response(content, { status, headers });
  for (const cookie of cookies) response.headers.append('set-cookie', cookie);
  return response;
}

/** Reads the body of a Fetch request, with the same limits as `readNodeBody`. Never hangs, never rejects. */
async function readFetchBody(request: Request): Promise<RequestBody> {
  if (request.bodyUsed) return unreadableBody('consumed');
  if (request.body === null) return { kind: 'none' };
  // The host has a reader, and may have read a part of the body.
  if (request.body.locked) return unreadableBody('consumed');
  const reader = request.body.getReader();
  const giveUp = (reason: UnreadableReason): RequestBody => {
    // Not awaited: a source that never finishes cancelling must not delay the response.
    reader.cancel().catch(() => {});
    return unreadableBody(reason);
  };

  if (Number(request.headers.get('content-length')) > MAX_REQUEST_BYTES) return giveUp('too_large');
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<'timeout'>((resolve) => {
    timer = setTimeout(() => resolve('timeout'), BODY_READ_LIMIT_MS);
  });
  const bytes = new BodyBytes(MAX_REQUEST_BYTES);
  try {
    for (;;) {
      const result = await Promise.race([reader.read(), timeout]);
      if (result === 'timeout') return giveUp('timeout');
      if (result.done) break;
      // A stream that the host has created may contain other values, in spite of its type.
      if (!(result.value instanceof Uint8Array)) return giveUp('aborted');
      if (!bytes.add(result.value)) return giveUp('too_large');
    }
  } catch {
    return unreadableBody('aborted');
  } finally {
    clearTimeout(timer);
  }
  return bytes.take();
}
