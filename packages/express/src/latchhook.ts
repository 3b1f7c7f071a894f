import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Auth, AuthInfo } from '@latchhook/core';
import {
  type AuthResponse,
  assertRoutes,
  readNodeBody,
  soleAuthorization,
} from '@latchhook/core/adapter';

/**
 * The part of an Express request that is used, the same in Express 4 and 5. It is declared here so that no version of
 * `@types/express` is required. It has no `body` because Express would infer the type of `body` in the following
 * handlers from it.
 */
export type ExpressRequest = IncomingMessage & {
  readonly method: string;
  /** Without the mount path, which is in `baseUrl`. */
  readonly url: string;
  readonly path: string;
  readonly baseUrl: string;
  /** Depends on the app's setting `trust proxy`. */
  readonly ip?: string | undefined;
  auth?: AuthInfo;
};

/** Properties in which an earlier middleware or a platform may have stored the body. */
interface StoredBody {
  readonly body?: unknown;
  /** Set by Cloud Functions, which read the body before the app runs. */
  readonly rawBody?: unknown;
}

/** Excludes a fragment, as `path` does. No client should send a fragment (RFC 9112 3.2). */
const QUERY = /^[^?#]*\?([^#]*)/;

/** A middleware for Express 4 and 5. */
export type ExpressHandler = (
  req: ExpressRequest,
  res: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/**
 * Serves the routes of `auth` below the mount path. Passes all other requests on, without reading their bodies.
 *
 * @throws {ConfigError} when it is mounted: `auth_invalid`
 *
 * @example
 * ```ts
 * import type { Auth } from '@latchhook/core';
 * import { latchhook } from '@latchhook/express';
 * import express from 'express';
 *
 * declare const auth: Auth;
 * const app = express();
 * app.use(latchhook(auth)); // or below a path: app.use('/auth', latchhook(auth));
 * ```
 */
export function latchhook(auth: Pick<Auth, 'http'>): ExpressHandler {
  assertRoutes('latchhook', auth);
  return (req, res, next) => {
    if (auth.http.owns(req.path)) respond(auth, req, res).catch(next);
    else next();
  };
}

async function respond(
  { http }: Pick<Auth, 'http'>,
  req: ExpressRequest & StoredBody,
  res: ServerResponse,
): Promise<void> {
  const response = await http.handle({
    method: req.method,
    path: req.path,
    mountPath: req.baseUrl,
    query: QUERY.exec(req.url)?.[1] ?? '',
    headers: req.headers,
    authorization: soleAuthorization(req),
    remoteAddress: req.ip,
    body: await readNodeBody(req, req.body === undefined ? req.rawBody : req.body),
  });
  sendAuthResponse(res, response);
}

/** Sends by the methods of `node:http`, as `res.json` is much slower. Keeps headers that the host has set. */
export function sendAuthResponse(res: ServerResponse, response: AuthResponse): void {
  // The client has disconnected, or a timeout of the host has already sent a response.
  if (res.destroyed || res.headersSent) return;
  const { status, headers, cookies, body } = response;
  if (cookies !== undefined) {
    // `appendHeader` would push into the very array that the host passed to `setHeader`. If the host reuses that array,
    // our cookies would reach other clients.
    res.setHeader('set-cookie', [res.getHeader('set-cookie') ?? [], cookies].flat().map(String));
  }
  // RFC 9110 8.6: no Content-Length in a 204.
  if (status === 204) {
    res.writeHead(status, headers);
    res.end();
    return;
  }
  const length = Buffer.byteLength(body);
  res.writeHead(status, { ...headers, 'content-length': length });
  if (res.req.method === 'HEAD') res.end();
  // A body with as many bytes as characters is ASCII, which Node writes faster as `latin1`.
  else res.end(body, length === body.length ? 'latin1' : 'utf8');
}
