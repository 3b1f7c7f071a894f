import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPublicAddress } from './public-address.ts';

/** The first and the last address of each special range, and the neighbours outside of it. */
const SPECIAL_IPV4 = [
  ['0.0.0.0', '0.255.255.255', null, '1.0.0.0'],
  ['10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
  ['100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.0'],
  ['127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
  ['168.63.129.16', '168.63.129.16', '168.63.129.15', '168.63.129.17'],
  ['169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0'],
  ['172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
  ['192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
  ['192.0.2.0', '192.0.2.255', '192.0.1.255', '192.0.3.0'],
  ['192.88.99.0', '192.88.99.255', '192.88.98.255', '192.88.100.0'],
  ['192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
  ['198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
  ['198.51.100.0', '198.51.100.255', '198.51.99.255', '198.51.101.0'],
  ['203.0.113.0', '203.0.113.255', '203.0.112.255', '203.0.114.0'],
  ['224.0.0.0', '255.255.255.255', '223.255.255.255', null],
] as const;

const SPECIAL_IPV6 = [
  ['2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', null, '2001:200::'],
  ['2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db7:ffff::', '2001:db9::'],
  ['2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:ffff::', '2003::'],
  ['3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff', '3ffe:ffff::', '3fff:1000::'],
] as const;

const octet = fc.integer({ min: 0, max: 255 });
const ipv4 = fc.tuple(octet, octet, octet, octet).map((octets) => octets.join('.'));

describe('isPublicAddress', () => {
  it.each([
    '1.1.1.1',
    '8.8.8.8',
    '93.184.215.14',
    '2000::',
    '2606:4700::1111',
    '2a00:1450:4001:80b::200e',
    '2A00:1450:4001:080B:0000:0000:0000:200E',
    '2620:4f:8000::1',
    '3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
  ])('returns true for %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([...SPECIAL_IPV4, ...SPECIAL_IPV6])(
    'returns false for %s and %s, the ends of a special range, and true for their neighbours',
    (first, last, before, after) => {
      expect(isPublicAddress(first)).toBe(false);
      expect(isPublicAddress(last)).toBe(false);
      for (const neighbour of [before, after]) {
        if (neighbour !== null) expect(isPublicAddress(neighbour), neighbour).toBe(true);
      }
    },
  );

  it.each([
    ['unspecified', '::'],
    ['loopback', '::1'],
    ['mapped', '::ffff:8.8.8.8'],
    ['mapped, in hexadecimal', '::ffff:7f00:1'],
    ['compatible', '::7f00:1'],
    ['compatible, with dots', '::8.8.8.8'],
    ['translated (SIIT)', '::ffff:0:808:808'],
    ['NAT64', '64:ff9b::a9fe:a9fe'],
    ['NAT64, with dots', '64:ff9b::8.8.8.8'],
    ['local NAT64', '64:ff9b:1::1'],
    ['discard', '100::1'],
    ['below 2000::/3', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['above 2000::/3', '4000::'],
    ['segment routing', '5f00::1'],
    ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
    ['ORCHID', '2001:20::1'],
    ['6to4 of loopback', '2002:7f00:1::'],
    ['unique local', 'fc00::1'],
    ['unique local', 'fd12:3456:789a::1'],
    ['link-local', 'fe80::1'],
    ['site-local', 'fec0::1'],
    ['multicast', 'ff02::1'],
  ])('returns false for an address that is %s: %s', (_what, address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each([
    '2606:4700::1111%eth0',
    'fe80::1%1',
    '[2606:4700::1111]',
    '8.8.8.8 ',
    '08.8.8.8',
    '0x08.8.8.8',
    '134744072',
    '8.8.8',
    '8.8.8.8:443',
    'example.com',
    'localhost',
    '',
  ])('returns false for %j, which is not an address', (text) => {
    expect(isPublicAddress(text)).toBe(false);
  });

  it('returns false for every IPv6 address that embeds an IPv4 address', () => {
    fc.assert(
      fc.property(
        ipv4,
        fc.constantFrom('::', '::ffff:', '::ffff:0:', '64:ff9b::', '64:ff9b:1::'),
        (address, prefix) => !isPublicAddress(prefix + address),
      ),
    );
  });
});
