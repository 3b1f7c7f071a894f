import { warn } from '../warning.ts';
import { canonicalAddress, UNKNOWN_ADDRESS } from './canonical-address.ts';
import { type ClientInfo, UNKNOWN_CLIENT } from './client-info.ts';

const MAX_AGENT_CHARS = 256;

let warned = false;

/**
 * Normalizes what the host says of a client to the form that is counted, stored and shown. Copies the two fields by
 * name, so that nothing else that the host passes gets into an event.
 *
 * Security: people read both fields in lists and logs. The client chooses the agent, and the address too if the host
 * trusts too many proxies. Node lets control characters from 0x80 on into headers, and terminals obey some of them.
 */
export function canonicalClient(given: ClientInfo = UNKNOWN_CLIENT): ClientInfo {
  const { clientAddress = null, userAgent } = given ?? UNKNOWN_CLIENT;
  return {
    clientAddress: clientAddress === null ? null : knownAddress(clientAddress),
    userAgent: typeof userAgent === 'string' ? shownAgent(userAgent) : null,
  };
}

function knownAddress(given: string): string {
  const address = canonicalAddress(given);
  if (address === UNKNOWN_ADDRESS && !warned) {
    warned = true;
    // Without the value, which a client may have written.
    warn(
      'LATCHHOOK_ADDRESS',
      'the host gave a client address that is no single IP address, such as a list, a name or an empty text: all such clients share one count of failed logins. Configure which proxies your framework trusts, and pass the address that it reports',
    );
  }
  return address;
}

function shownAgent(text: string): string {
  return beginning(text, MAX_AGENT_CHARS).replace(/\p{Cc}/gu, '\ufffd');
}

function beginning(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  // A copy: V8 keeps the whole text in memory for a slice of it, for as long as a session lives.
  return Buffer.from(text.slice(0, maxChars)).toString();
}
