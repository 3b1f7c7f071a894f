import { assertNames, type NamesOf } from '../assert-names.ts';
import { ConfigError } from '../errors.ts';
import { assertRoutes } from './assert-routes.ts';
import type { HttpRoutes } from './http-routes.ts';
import type { AuthRequest, AuthResponse } from './messages.ts';
import { readFetchBody } from './read-fetch-body.ts';

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
  readonly remoteAddress?: string;
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
