import type { AuthRequest } from './messages.ts';

/** What of a request says whether its cookies count: Node's `IncomingMessage`, or an {@link AuthRequest}. */
export interface RequestHead {
  readonly method?: string | undefined;
  readonly headers: AuthRequest['headers'];
}
