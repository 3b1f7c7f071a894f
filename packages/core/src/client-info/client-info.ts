import { isIP, isIPv4 } from 'node:net';

import type { AuthRequest } from '../http/messages.ts';
import { warn } from '../warning.ts';

/** The client of a request, as far as the host knows it. Events and the list of sessions have both fields. */
export interface ClientInfo {
  /**
   * The IP address that the framework reports, in canonical form (`192.0.2.1`, `2001:db8::1`), without port and zone;
   * `unknown` if the framework reports something that is no IP address; `null` if it reports nothing. Hosts may pass
   * any spelling.
   */
  readonly clientAddress: string | null;
  /** The `User-Agent` of the client, cut to 256 characters, without control characters. */
  readonly userAgent: string | null;
}

/** The client of a call by the host's own code that names none. */
export const UNKNOWN_CLIENT: ClientInfo = { clientAddress: null, userAgent: null };

/** Who sent a request: the address that the framework reports, and the user agent that the client claims. */
export function clientOfRequest({ remoteAddress, headers }: AuthRequest): ClientInfo {
  const agent = headers['user-agent'];
  return canonicalClient({
    clientAddress: remoteAddress ?? null,
    userAgent: typeof agent === 'string' ? agent : null,
  });
}

/**
 * Normalizes the client that the host passes to the form that is counted, stored and shown. Copies the two fields by
 * name, so that no other property of the host's object gets into an event.
 *
 * Security: people read both fields in lists and logs. The client chooses the agent, and the address too if the host
 * trusts too many proxies. Node accepts control characters from 0x80 on in headers, and terminals execute some of them.
 */
export function canonicalClient(client?: ClientInfo): ClientInfo {
  // A host without types may pass `null`, or leave out a field.
  const { clientAddress = null, userAgent } = client ?? UNKNOWN_CLIENT;
  return {
    clientAddress: clientAddress === null ? null : addressOrWarning(clientAddress),
    userAgent: typeof userAgent === 'string' ? printableAgent(userAgent) : null,
  };
}

const MAX_AGENT_CHARS = 256;

function printableAgent(text: string): string {
  return truncate(text, MAX_AGENT_CHARS).replace(/\p{Cc}/gu, '\ufffd');
}

function truncate(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  // A copy, because a slice keeps the whole text in memory, for as long as the session lives.
  return Buffer.from(text.slice(0, maxChars)).toString();
}

let hasWarned = false;

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

/** The address of a client for which the host passes no IP address; RFC 7239 6.2 has the same word. */
export const UNKNOWN_ADDRESS = 'unknown';

/** Longer than any IP address with its brackets, zone and port. */
const MAX_ADDRESS_CHARS = 100;

/** The prefix of an IPv4 address that a dual-stack socket reports: `::ffff:192.0.2.1`. */
const MAPPED = '::ffff:';

/**
 * Captures a node of RFC 7239 4 in its second group: `192.0.2.1` alone, or in `for="192.0.2.1:4711";proto=https`. A
 * list does not match: the client can forge the first entries of a list.
 */
const FORWARDED = /^(?:for\s*=\s*)?("?)([^",;]*)\1(?:;[^,]*)?$/i;

/** `[2001:db8::1]` or `[2001:db8::1]:4711`, with the address as the first group. */
const BRACKETED = /^\[([^\]]*)\](?::(?:\d{0,5}|_[\w.-]+))?$/;

/** `:4711`, or an obfuscated name such as `:_web1` (RFC 7239 6). */
const PORT = /:(?:\d{0,5}|_[\w.-]+)$/;

/** `%eth0`, up to the end, port included: Node.js accepts nearly any character in a zone, even a colon. */
const ZONE = /%\S*$/;

/**
 * Converts every spelling of an IP address to one: IPv4 in dotted decimal, IPv6 in the form of RFC 5952 4, without
 * brackets, port and zone. An IPv6 address that embeds an IPv4 address becomes that IPv4 address: throttling counts an
 * IPv6 address by its /64, which all clients of a NAT64 share. Anything else, such as a list of addresses, becomes
 * {@link UNKNOWN_ADDRESS}.
 *
 * Security: all code that counts, compares or shows addresses uses this form, so that a client cannot evade a counter
 * by a change of its port.
 */
export function canonicalAddress(address: unknown): string {
  if (typeof address !== 'string' || address.length > MAX_ADDRESS_CHARS) return UNKNOWN_ADDRESS;
  // The fast path: nearly every request has a plain IPv4 address.
  const plain = address.startsWith(MAPPED) ? address.slice(MAPPED.length) : address;
  if (isIPv4(plain)) return plain;
  const node = FORWARDED.exec(address.trim())?.[2]?.trim() ?? '';
  const host = BRACKETED.exec(node)?.[1] ?? node;
  // The whole text is tried first, because the end of an IPv6 address may look like a port.
  return ipAddress(host) ?? ipAddress(host.replace(PORT, '')) ?? UNKNOWN_ADDRESS;
}

function ipAddress(text: string): string | undefined {
  // `isIP` rejects leading zeros, which some proxies write. The numbers are decimal all the same: no proxy sends octal.
  const address = text
    .replace(ZONE, '')
    .replace(/(?:\d{1,3}\.){3}\d{1,3}$/, (dotted) => dotted.split('.').map(Number).join('.'));
  switch (isIP(address)) {
    case 4:
      return address;
    case 6:
      // The URL parser writes the canonical form of RFC 5952, in brackets.
      return extractIPv4(new URL(`http://[${address}]`).hostname.slice(1, -1));
    default:
      return undefined;
  }
}

/**
 * The two groups of an IPv4 address in an IPv6 address in canonical form: mapped (`::ffff:c000:201`), translated
 * (`::ffff:0:c000:201`), compatible (`::c000:201`) or NAT64 (`64:ff9b::c000:201`, RFC 6052 2.1).
 */
const EMBEDDED_IPV4 = /^(?:::(?:ffff:(?:0:)?)?|64:ff9b::)([\da-f]{1,4}):([\da-f]{1,4})$/;

/** Returns the IPv4 address that an IPv6 address embeds, or else the IPv6 address. */
function extractIPv4(address: string): string {
  const [, high, low] = EMBEDDED_IPV4.exec(address) ?? [];
  if (high === undefined || low === undefined) return address;
  // `c000:201` stands for the bytes `c0000201`: 192.0.2.1.
  return Buffer.from(high.padStart(4, '0') + low.padStart(4, '0'), 'hex').join('.');
}
