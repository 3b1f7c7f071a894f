import { isIP, isIPv4 } from 'node:net';

/** The address of a client for which the host gives no IP address; the word is that of RFC 7239 6.2. */
export const UNKNOWN_ADDRESS = 'unknown';

/** Longer than any IP address with its brackets, zone and port. */
const MAX_CHARS = 100;

/**
 * A node of RFC 7239 4, with or without `for=`, quotes and the parameters that follow. A list does not match: the
 * client can write its first entries.
 */
const FORWARDED = /^(?:for\s*=\s*)?("?)([^",;]*)\1(?:;[^,]*)?$/i;

/** Up to the end: in a zone, Node.js accepts nearly any characters, colons too, and a port may follow. */
const ZONE = /%\S*$/;

/** RFC 7239 6: a port is a number or an obfuscated name. */
const PORT = /:(?:\d{0,5}|_[\w.-]+)$/;

const BRACKETED = /^\[([^\]]*)\](?::(?:\d{0,5}|_[\w.-]+))?$/;

/** Precedes an IPv4 address that a dual-stack socket reports. */
const MAPPED = '::ffff:';

/** IPv4-mapped, translated, compatible and NAT64 (RFC 6052 2.1) addresses, in canonical form. */
const EMBEDDED_IPV4 = /^(?:::(?:ffff:(?:0:)?)?|64:ff9b::)([\da-f]{1,4}):([\da-f]{1,4})$/;

/**
 * The one spelling of an IP address, however a proxy writes it: IPv4 in dotted decimal, IPv6 as RFC 5952 4 has it,
 * without brackets, port and zone. An IPv4 address within an IPv6 address is the IPv4 address, since all clients of a
 * NAT64 share a /64. Anything else, such as a list of addresses, is {@link UNKNOWN_ADDRESS}.
 *
 * Security: all code that counts, compares or shows addresses sees this form alone. A client that chooses its port
 * does not choose how it is counted.
 */
export function canonicalAddress(given: unknown): string {
  if (typeof given !== 'string' || given.length > MAX_CHARS) return UNKNOWN_ADDRESS;
  // The fast path: nearly every request has a plain IPv4 address.
  const plain = given.startsWith(MAPPED) ? given.slice(MAPPED.length) : given;
  if (isIPv4(plain)) return plain;
  const node = FORWARDED.exec(given.trim())?.[2]?.trim() ?? '';
  const host = BRACKETED.exec(node)?.[1] ?? node;
  // Unchanged first, since the end of an IPv6 address may look like a port.
  return ipAddress(host) ?? ipAddress(host.replace(PORT, '')) ?? UNKNOWN_ADDRESS;
}

function ipAddress(text: string): string | undefined {
  // `isIP` rejects leading zeros, which some proxies write. They are decimal: nobody sends octal in a header.
  const address = text
    .replace(ZONE, '')
    .replace(/(?:\d{1,3}\.){3}\d{1,3}$/, (dotted) => dotted.split('.').map(Number).join('.'));
  switch (isIP(address)) {
    case 4:
      return address;
    case 6:
      return unembedded(new URL(`http://[${address}]`).hostname.slice(1, -1));
    default:
      return undefined;
  }
}

function unembedded(address: string): string {
  const [, high, low] = EMBEDDED_IPV4.exec(address) ?? [];
  if (high === undefined || low === undefined) return address;
  const bits = (Number.parseInt(high, 16) << 16) | Number.parseInt(low, 16);
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 0xff).join('.');
}
