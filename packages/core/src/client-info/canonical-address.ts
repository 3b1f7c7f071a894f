import { isIP, isIPv4 } from 'node:net';

/** The address of a client for which the host passes no IP address; RFC 7239 6.2 has the same word. */
export const UNKNOWN_ADDRESS = 'unknown';

/** Longer than any IP address with its brackets, zone and port. */
const MAX_CHARS = 100;

/**
 * A node of RFC 7239 4, with or without `for=`, quotes and the parameters that follow. A list does not match: the
 * client can forge the first entries of a list.
 */
const FORWARDED = /^(?:for\s*=\s*)?("?)([^",;]*)\1(?:;[^,]*)?$/i;

/** Matches up to the end, port included: Node.js accepts nearly any character in a zone, even a colon. */
const ZONE = /%\S*$/;

/** RFC 7239 6: a port is a number or an obfuscated name. */
const PORT = /:(?:\d{0,5}|_[\w.-]+)$/;

const BRACKETED = /^\[([^\]]*)\](?::(?:\d{0,5}|_[\w.-]+))?$/;

/** The prefix of an IPv4 address that a dual-stack socket reports. */
const MAPPED = '::ffff:';

/** IPv4-mapped, translated, compatible and NAT64 (RFC 6052 2.1) addresses, in canonical form. */
const EMBEDDED_IPV4 = /^(?:::(?:ffff:(?:0:)?)?|64:ff9b::)([\da-f]{1,4}):([\da-f]{1,4})$/;

/**
 * Converts every spelling of an IP address to one: IPv4 in dotted decimal, IPv6 in the form of RFC 5952 4, without
 * brackets, port and zone. An IPv6 address that embeds an IPv4 address becomes the latter, because all clients of a
 * NAT64 share a /64. Anything else, such as a list of addresses, becomes {@link UNKNOWN_ADDRESS}.
 *
 * Security: all code that counts, compares or shows addresses uses this form, so that a client cannot evade a counter
 * by a change of its port.
 */
export function canonicalAddress(address: unknown): string {
  if (typeof address !== 'string' || address.length > MAX_CHARS) return UNKNOWN_ADDRESS;
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
      return extractIPv4(new URL(`http://[${address}]`).hostname.slice(1, -1));
    default:
      return undefined;
  }
}

/** Returns the IPv4 address that an IPv6 address embeds, or else the IPv6 address. */
function extractIPv4(address: string): string {
  const [, high, low] = EMBEDDED_IPV4.exec(address) ?? [];
  if (high === undefined || low === undefined) return address;
  const bits = (Number.parseInt(high, 16) << 16) | Number.parseInt(low, 16);
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 0xff).join('.');
}
