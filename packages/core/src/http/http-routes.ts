import type { AuthRequest, AuthResponse } from './messages.ts';

/** The routes, for adapters. */
export interface HttpRoutes {
  /** Whether a path below the mount is one of ours, for any method. */
  owns(path: string): boolean;
  /**
   * The path of the route that answers to a path below the mount, with its parameters in braces: `/webhooks/{id}`. For
   * metrics; `undefined` for a path that is not ours.
   */
  routeOf(path: string): string | undefined;
  /** Answers a request whose path is ours. Never throws, never rejects. */
  handle(request: AuthRequest): Promise<AuthResponse>;
}
