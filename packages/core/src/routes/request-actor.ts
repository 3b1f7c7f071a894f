import type { AuthInfo } from '../bearer/auth-info.ts';
import type { AuthRequest } from '../http/messages.ts';
import type { Actor } from '../webhooks/webhook-registry.ts';
import { requestOrigin } from './request-origin.ts';

/** The user who makes a request, and from where, for the security events. */
export function requestActor({ userId }: AuthInfo, request: AuthRequest): Actor {
  return { ...requestOrigin(request), userId };
}
