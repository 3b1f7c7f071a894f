import { warn } from '../warning.ts';
import type { RequestHead } from './request-head.ts';

let hasWarned = false;

/**
 * Warns the integrator, once per process, if the rejected request is a CORS preflight (Fetch 3.3.5), which a CORS
 * middleware should have handled before. For adapters, after a rejection by {@link Bearer.check}; `HttpRoutes.handle`
 * calls this itself.
 *
 * Security: a preflight is rejected like any request without a token, although browsers never send a token with it:
 * anybody can send these headers, and handlers after the check may not look at the method.
 */
export function warnOfPreflight({ method, headers }: RequestHead): void {
  if (hasWarned || method !== 'OPTIONS') return;
  if (!headers['origin'] || !headers['access-control-request-method']) return;
  hasWarned = true;
  warn(
    'LATCHHOOK_CORS',
    'a CORS preflight was rejected, so browsers on other origins cannot send the request that was to follow. If they should, mount your CORS middleware before latchhook and requireAuth: it answers preflights, and its headers let browsers read rejections too',
  );
}
