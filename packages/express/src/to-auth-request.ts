import type { IncomingMessage } from 'node:http';
import type { AuthInfo } from '@latchhook/core';
import { type AuthRequest, readNodeBody, soleAuthorization } from '@latchhook/core/adapter';

/**
 * The part of an Express request that is used, the same in 4 and 5. It is declared here so that no version of
 * `@types/express` is required, and is not an interface because other packages add a `body` to `IncomingMessage`.
 *
 * It has no `body`, as Express would infer the type of `body` from it, for the following handlers too.
 */
export type ExpressRequest = IncomingMessage & {
  readonly method: string;
  /** `url` and `path` do not include the mount path, which is `baseUrl`. */
  readonly url: string;
  readonly path: string;
  readonly baseUrl: string;
  /** Depends on the app's setting `trust proxy`. */
  readonly ip?: string | undefined;
  auth?: AuthInfo;
};

/** Where an earlier middleware or platform may have stored the body. */
interface Parsed {
  readonly body?: unknown;
  /** The bytes that Cloud Functions read before the app runs. */
  readonly rawBody?: unknown;
}

/** Excludes a fragment, which no client should send (RFC 9112 3.2); `path` excludes it too. */
const QUERY = /^[^?#]*\?([^#]*)/;

export async function toAuthRequest(req: ExpressRequest & Parsed): Promise<AuthRequest> {
  return {
    method: req.method,
    path: req.path,
    mountPath: req.baseUrl,
    query: QUERY.exec(req.url)?.[1] ?? '',
    headers: req.headers,
    authorization: soleAuthorization(req),
    remoteAddress: req.ip,
    body: await readNodeBody(req, req.body === undefined ? req.rawBody : req.body),
  };
}
