import type { AnyAuthInfo } from '../bearer/auth-info.ts';
import { clientOfRequest } from '../client-info/client-info.ts';
import type { AuthRequest } from '../http/messages.ts';
import type { Requester } from '../webhooks/registry/webhook-registry.ts';

/** The user who sends a request, and their client, for the security events. */
export function requestingUser({ userId }: AnyAuthInfo, request: AuthRequest): Requester {
  return { actor: 'user', userId, ...clientOfRequest(request) };
}
