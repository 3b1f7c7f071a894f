import type { AuthRequest, AuthResponse } from './messages.ts';

/** The routes, for adapters. */
export interface HttpRoutes {
  /** Whether a path below the mount is one of Latchhook's, for any method. */
  owns(path: string): boolean;
  /**
   * The template of a path below the mount, with its parameters in braces: `/webhooks/{id}`. For metrics; `undefined`
   * if the path is not one of Latchhook's.
   */
  routeOf(path: string): string | undefined;
  /** Responds to a request whose path `owns` accepts. Never throws, never rejects. */
  handle(request: AuthRequest): Promise<AuthResponse>;
}
