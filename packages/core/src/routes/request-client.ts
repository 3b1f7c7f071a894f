import type { AuthRequest } from '../http/messages.ts';
import { canonicalClient } from '../ports/events/canonical-client.ts';
import type { ClientInfo } from '../ports/events/client-info.ts';

/** Who sent a request: the address that the framework reports, and the user agent that the client claims. */
export function requestClient({ remoteAddress, headers }: AuthRequest): ClientInfo {
  const agent = headers['user-agent'];
  return canonicalClient({
    clientAddress: remoteAddress ?? null,
    userAgent: typeof agent === 'string' ? agent : null,
  });
}
