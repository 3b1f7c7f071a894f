import { BlockList, isIP } from 'node:net';

/**
 * Addresses that no receiver on the internet can have: IANA's special-purpose registry, multicast, and one of Azure.
 */
const SPECIAL_IPV4 = blockList('ipv4', [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  // A global address, but within Azure it is the platform's own endpoint, which issues certificates.
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]);

/**
 * The range that is allocated as global unicast. It excludes addresses that embed an IPv4 address (mapped, compatible,
 * NAT64), loopback, link-local, unique local and multicast.
 */
const GLOBAL_IPV6 = blockList('ipv6', ['2000::/3']);

/** Special ranges within 2000::/3: protocol assignments with Teredo, documentation, 6to4, documentation. */
const SPECIAL_IPV6 = blockList('ipv6', ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']);

/**
 * Whether an IP address is global unicast, so that deliveries may be sent to it. `false` for text that is not an
 * address by `net.isIP`, and for an address with a zone.
 *
 * Security: this is the only check, both for the host of a URL and for every address that a name resolves to. IPv4 has
 * a denylist, because it is fully allocated; IPv6 an allowlist, because it is mostly unallocated.
 */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !SPECIAL_IPV4.check(address, 'ipv4');
    case 6:
      // A zone names an interface of this machine.
      if (address.includes('%')) return false;
      return GLOBAL_IPV6.check(address, 'ipv6') && !SPECIAL_IPV6.check(address, 'ipv6');
    default:
      return false;
  }
}

function blockList(family: 'ipv4' | 'ipv6', subnets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [network = '', prefix] = subnet.split('/');
    list.addSubnet(network, Number(prefix), family);
  }
  return list;
}
