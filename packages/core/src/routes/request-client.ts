import type { AuthRequest } from '../http/messages.ts';
import type { ClientInfo } from '../ports/events/client-info.ts';
import { unmappedAddress } from '../throttle/unmapped-address.ts';

const MAX_AGENT_CHARS = 256;
/** Longer than any address with a zone or a port. */
const MAX_ADDRESS_CHARS = 64;

/**
 * Who sent a request: the address that the framework gives, and the user agent that the client claims.
 *
 * Security: people read both in lists and logs. The client chooses the agent, and the address too where the host
 * trusts too many proxies. Node lets control characters from 0x80 on into headers, and terminals obey some of them.
 */
export function requestClient({ remoteAddress, headers }: AuthRequest): ClientInfo {
  const agent = headers['user-agent'];
  return shownClient({
    clientAddress: remoteAddress ?? null,
    userAgent: typeof agent === 'string' ? agent : null,
  });
}

/** The same for what the host says of a client. By name, so that nothing else that it carries gets into an event. */
export function shownClient({ clientAddress, userAgent }: ClientInfo): ClientInfo {
  return {
    clientAddress: clientAddress ? shown(unmappedAddress(clientAddress), MAX_ADDRESS_CHARS) : null,
    userAgent: typeof userAgent === 'string' ? shown(userAgent, MAX_AGENT_CHARS) : null,
  };
}

function shown(text: string, maxChars: number): string {
  return beginning(text, maxChars).replace(/\p{Cc}/gu, '\ufffd');
}

function beginning(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  // A copy: what V8 slices off keeps the whole of the text in memory, for as long as a session lives.
  return Buffer.from(text.slice(0, maxChars)).toString();
}
