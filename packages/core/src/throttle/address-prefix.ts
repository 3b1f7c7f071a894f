import { isIP } from 'node:net';

/**
 * The part of an address by which it is counted: an IPv4 address, or the /64 of an IPv6 address, because every customer
 * of a provider has a whole /64: `2001:db8::1` becomes `2001:db8:0:0::/64`.
 *
 * @param address - in canonical form; other text is returned unchanged
 */
export function addressPrefix(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups = [...left, ...Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0')];
  return `${[...groups, ...right].slice(0, 4).join(':')}::/64`;
}
