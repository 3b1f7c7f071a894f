import type { ServerResponse } from 'node:http';
import type { Auth } from '@latchhook/core';
import { assertRoutes } from '@latchhook/core/adapter';
import { sendAuthResponse } from './send-auth-response.ts';
import { type ExpressRequest, toAuthRequest } from './to-auth-request.ts';

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
  auth: Pick<Auth, 'http'>,
  req: ExpressRequest,
  res: ServerResponse,
): Promise<void> {
  sendAuthResponse(res, await auth.http.handle(await toAuthRequest(req)));
}
