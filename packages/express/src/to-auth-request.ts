import type { IncomingMessage } from 'node:http';
import { type AuthInfo, type AuthRequest, readNodeBody, soleAuthorization } from '@latchhook/core';

/**
 * What is used of Express's request: the same in 4 and 5, and written out so that no version of
 * `@types/express` is imposed. No interface: other packages give `IncomingMessage` a `body` of their own.
 *
 * Without `body`: Express would infer its type from ours, for the handlers behind it too.
 */
export type ExpressRequest = IncomingMessage & {
  readonly method: string;
  /** Both are without the path that the app is mounted under: that one is `baseUrl`. */
  readonly url: string;
  readonly path: string;
  readonly baseUrl: string;
  /** By the app's own setting `trust proxy`. */
  readonly ip?: string | undefined;
  auth?: AuthInfo;
};

/** What may have read the body before, and left it. */
interface Parsed {
  readonly body?: unknown;
  /** Where Cloud Functions leave the bytes that they have read before the app began. */
  readonly rawBody?: unknown;
}

export async function toAuthRequest(req: ExpressRequest & Parsed): Promise<AuthRequest> {
  const queryStart = req.url.indexOf('?');
  return {
    method: req.method,
    path: req.path,
    mountPath: req.baseUrl,
    query: queryStart === -1 ? '' : req.url.slice(queryStart + 1),
    headers: req.headers,
    authorization: soleAuthorization(req),
    remoteAddress: req.ip,
    body: await readNodeBody(req, req.body === undefined ? req.rawBody : req.body),
  };
}
