import type { AuthRequest } from '../http/messages.ts';
import type { Origin } from '../ports/origin.ts';

const MAX_AGENT_CHARS = 256;

/** Where a request came from: the address as the framework tells it, the agent as it calls itself. */
export function requestOrigin({ remoteAddress, headers }: AuthRequest): Origin {
  const agent = headers['user-agent'];
  return {
    clientAddress: remoteAddress ?? null,
    userAgent: typeof agent === 'string' ? agent.slice(0, MAX_AGENT_CHARS) : null,
  };
}
