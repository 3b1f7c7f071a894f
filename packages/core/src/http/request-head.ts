import type { AuthRequest } from './messages.ts';

/**
 * The part of a request that decides whether its cookies are accepted, and whether it is a CORS preflight: Node's
 * `IncomingMessage` and {@link AuthRequest} have these properties.
 */
export interface RequestHead {
  readonly method?: string | undefined;
  readonly headers: AuthRequest['headers'];
}
