import { isIP } from 'node:net';
import { unmappedAddress } from './unmapped-address.ts';

/**
 * What counts as one address: an IPv4 address, or the /64 of an IPv6 one, since every customer of a provider has a
 * whole /64. An IPv4-mapped IPv6 address (`::ffff:192.0.2.1`) counts as the IPv4 address.
 */
export function addressPrefix(address: string): string {
  const bare = unmappedAddress(address.replace(/%.*$/, ''));
  if (isIP(bare) !== 6) return bare;
  const [head = '', tail] = bare.toLowerCase().split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups = [...left, ...Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0')];
  return `${[...groups, ...right]
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}
