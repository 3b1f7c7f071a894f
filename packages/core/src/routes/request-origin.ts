import type { AuthRequest } from '../http/messages.ts';
import type { Origin } from '../ports/origin.ts';

const MAX_AGENT_CHARS = 256;

/**
 * Where a request came from: the address as the framework tells it, the agent as it calls itself.
 *
 * Security: what a stranger calls itself is read in lists and logs. Node lets the control characters from 0x80
 * on into headers, and terminals obey some of them.
 */
export function requestOrigin({ remoteAddress, headers }: AuthRequest): Origin {
  const agent = headers['user-agent'];
  return {
    clientAddress: remoteAddress ?? null,
    userAgent: typeof agent === 'string' ? printable(agent.slice(0, MAX_AGENT_CHARS)) : null,
  };
}

function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, '\ufffd');
}
