import type { IncomingMessage } from 'node:http';
import type { AuthInfo } from '@latchhook/core';
import { type AuthRequest, readNodeBody, soleAuthorization } from '@latchhook/core/adapter';

/**
 * The part of an Express request that is used, the same in Express 4 and 5. It is declared here so that no version of
 * `@types/express` is required. It is not an interface because other packages add a `body` to `IncomingMessage`.
 *
 * It has no `body` because Express would infer the type of `body` in the following handlers from it.
 */
export type ExpressRequest = IncomingMessage & {
  readonly method: string;
  /** Like `path`, without the mount path, which is `baseUrl`. */
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

export async function toAuthRequest(req: ExpressRequest & StoredBody): Promise<AuthRequest> {
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
