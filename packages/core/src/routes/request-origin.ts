import type { AuthRequest } from '../http/messages.ts';
import type { Origin } from '../ports/origin.ts';
import { unmappedAddress } from '../ports/unmapped-address.ts';

const MAX_AGENT_CHARS = 256;
/** Longer than any address with a zone or a port. */
const MAX_ADDRESS_CHARS = 64;

/**
 * Where a request came from: the address as the framework tells it, the agent as it calls itself.
 *
 * Security: what a stranger calls itself is read in lists and logs, and so is its address, which is its own word
 * where the host believes too many proxies. Node lets the control characters from 0x80 on into headers, and
 * terminals obey some of them.
 */
export function requestOrigin({ remoteAddress, headers }: AuthRequest): Origin {
  const agent = headers['user-agent'];
  return {
    clientAddress: remoteAddress ? shown(unmappedAddress(remoteAddress), MAX_ADDRESS_CHARS) : null,
    userAgent: typeof agent === 'string' ? shown(agent, MAX_AGENT_CHARS) : null,
  };
}

function shown(text: string, maxChars: number): string {
  return text.slice(0, maxChars).replace(/\p{Cc}/gu, '\ufffd');
}
