import { warn } from '../warning.ts';
import { canonicalAddress, UNKNOWN_ADDRESS } from './canonical-address.ts';
import { type ClientInfo, UNKNOWN_CLIENT } from './client-info.ts';

const MAX_AGENT_CHARS = 256;

let hasWarned = false;

/**
 * Normalizes the client that the host passes to the form that is counted, stored and shown. Copies the two fields by
 * name, so that no other property of the host's object gets into an event.
 *
 * Security: people read both fields in lists and logs. The client chooses the agent, and the address too if the host
 * trusts too many proxies. Node accepts control characters from 0x80 on in headers, and terminals execute some of them.
 */
export function canonicalClient(client: ClientInfo = UNKNOWN_CLIENT): ClientInfo {
  const { clientAddress = null, userAgent } = client ?? UNKNOWN_CLIENT;
  return {
    clientAddress: clientAddress === null ? null : addressOrWarning(clientAddress),
    userAgent: typeof userAgent === 'string' ? printableAgent(userAgent) : null,
  };
}

/** The canonical address. Warns, once per process, if the text is not an IP address. */
function addressOrWarning(text: string): string {
  const address = canonicalAddress(text);
  if (address === UNKNOWN_ADDRESS && !hasWarned) {
    hasWarned = true;
    // The message does not quote the text, which may come from a client.
    warn(
      'LATCHHOOK_ADDRESS',
      'the host gave a client address that is no single IP address, such as a list, a name or an empty text: all such clients share one count of failed logins. Configure which proxies your framework trusts, and pass the address that it reports',
    );
  }
  return address;
}

function printableAgent(text: string): string {
  return truncate(text, MAX_AGENT_CHARS).replace(/\p{Cc}/gu, '\ufffd');
}

function truncate(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  // A copy, because a slice keeps the whole text in memory, for as long as the session lives.
  return Buffer.from(text.slice(0, maxChars)).toString();
}
