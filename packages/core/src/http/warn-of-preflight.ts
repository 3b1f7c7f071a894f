import { warn } from '../warning.ts';

/** The part of a request that {@link warnOfPreflight} looks at: Node's `IncomingMessage`, or an `AuthRequest`. */
export interface RejectedRequest {
  readonly method?: string | undefined;
  /** Lower-cased names. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

let warned = false;

/**
 * Warns the integrator, once per process, if the request just rejected is a CORS preflight (Fetch 3.3.5): a middleware
 * for CORS that is mounted first would have answered it. For adapters, after a rejection of {@link Bearer.check};
 * `HttpRoutes.handle` does so itself.
 *
 * Security: a preflight is rejected like any request without a token, though browsers never send one with it. Anybody
 * can send these headers, and handlers after the check may not look at the method.
 */
export function warnOfPreflight({ method, headers }: RejectedRequest): void {
  if (warned || method !== 'OPTIONS') return;
  if (!headers['origin'] || !headers['access-control-request-method']) return;
  warned = true;
  warn(
    'LATCHHOOK_CORS',
    'a CORS preflight was rejected, so browsers on other origins cannot send the request that was to follow. If they should, mount your CORS middleware before latchhook and requireAuth: it answers preflights, and its headers let browsers read rejections too',
  );
}
