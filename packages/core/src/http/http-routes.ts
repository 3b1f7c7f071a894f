import type { AuthRequest, AuthResponse } from './messages.ts';

/** The routes, for adapters. */
export interface HttpRoutes {
  /** Whether a path below the mount is one of ours, whatever the method. */
  owns(path: string): boolean;
  /** Answers a request whose path is ours. Never throws, never rejects. */
  handle(request: AuthRequest): Promise<AuthResponse>;
}
