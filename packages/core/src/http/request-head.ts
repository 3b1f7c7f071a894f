import type { AuthRequest } from './messages.ts';

/**
 * The part of a request that decides whether its cookies count: of Node's `IncomingMessage`, or an {@link AuthRequest}.
 */
export interface RequestHead {
  readonly method?: string | undefined;
  readonly headers: AuthRequest['headers'];
}
