import type { IncomingMessage } from 'node:http';
import type { AuthInfo } from '@latchhook/core';
import { type AuthRequest, readNodeBody, soleAuthorization } from '@latchhook/core/adapter';

/**
 * The part of Express's request that is used, the same in 4 and 5. It is written out so that no version of
 * `@types/express` is imposed, and is no interface because other packages give `IncomingMessage` a `body` of their own.
 *
 * Without `body`: Express would infer its type from ours, for the handlers behind it too.
 */
export type ExpressRequest = IncomingMessage & {
  readonly method: string;
  /** `url` and `path` are without the mount path, which is `baseUrl`. */
  readonly url: string;
  readonly path: string;
  readonly baseUrl: string;
  /** Depends on the app's own setting `trust proxy`. */
  readonly ip?: string | undefined;
  auth?: AuthInfo;
};

/** Where something that has read the body before may have left it. */
interface Parsed {
  readonly body?: unknown;
  /** Where Cloud Functions leave the bytes that they read before the app runs. */
  readonly rawBody?: unknown;
}

/** Not the fragment that no client should send (RFC 9112 3.2): `path` is without it, too. */
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
