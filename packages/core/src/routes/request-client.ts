import { canonicalClient } from '../client-info/canonical-client.ts';
import type { ClientInfo } from '../client-info/client-info.ts';
import type { AuthRequest } from '../http/messages.ts';

/** Who sent a request: the address that the framework reports, and the user agent that the client claims. */
export function requestClient({ remoteAddress, headers }: AuthRequest): ClientInfo {
  const agent = headers['user-agent'];
  return canonicalClient({
    clientAddress: remoteAddress ?? null,
    userAgent: typeof agent === 'string' ? agent : null,
  });
}
