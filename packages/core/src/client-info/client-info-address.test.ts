import { describe, expect, it } from 'vitest';
import { canonicalAddress } from './client-info.ts';

describe('canonicalAddress', () => {
  it.each(['fe80::1%eth0:80', 'fe80::1%eth0:1', '[fe80::1%x:y]:443', 'fe80::1%'])(
    'strips the zone of %j, even if the zone contains a colon',
    (address) => {
      expect(canonicalAddress(address)).toBe('fe80::1');
    },
  );

  it.each([
    '1.2.3.4',
    '1.2.3.4:5678',
    '1.2.3.4:',
    '1.2.3.4:_port',
    ' 1.2.3.4\t',
    '"1.2.3.4"',
    '"1.2.3.4:5678"',
    'for=1.2.3.4',
    'For="1.2.3.4:5678"',
    'for=1.2.3.4;proto=https;by=203.0.113.43',
    '[1.2.3.4]:5678',
    '001.002.003.004',
    '::ffff:1.2.3.4',
    '::FFFF:1.2.3.4',
    '::ffff:001.2.3.04',
    '::ffff:1.2.3.4%eth0',
    '::ffff:1.2.3.4:5678',
    '[::ffff:1.2.3.4]:5678',
    '::ffff:102:304',
    '::ffff:0102:0304',
    '0:0:0:0:0:ffff:0102:0304',
    '0000:0000:0000:0000:0000:FFFF:0102:0304',
    '0:0:0:0:0:ffff:0102:0304:5678',
    '"[::ffff:102:304]:5678"',
    '::ffff:0:1.2.3.4',
    '::1.2.3.4',
    '::102:304',
    '64:ff9b::1.2.3.4',
    '64:ff9b::102:304',
    '0064:ff9b:0:0:0:0:102:304',
  ])('returns 1.2.3.4 for %j', (address) => {
    expect(canonicalAddress(address)).toBe('1.2.3.4');
  });

  it.each([
    '2001:db8::1',
    '2001:DB8::1',
    '2001:0db8:0000:0000:0000:0000:0000:0001',
    '2001:db8:0:0::0:1',
    '[2001:db8::1]',
    '[2001:db8::1]:443',
    '[2001:db8::1]:',
    '"[2001:db8::1]"',
    '"[2001:db8::1]:443"',
    'for="[2001:db8::1]:443"',
    'for="[2001:db8::1]";proto=https',
    ' [2001:db8::1]:443 ',
    '2001:db8::1%eth0',
    '[2001:db8::1%25eth0]:443',
    '2001:db8:0:0:0:0:0:1:443',
    '2001:db8::0.0.0.1',
  ])('returns 2001:db8::1 for %j', (address) => {
    expect(canonicalAddress(address)).toBe('2001:db8::1');
  });

  it.each([
    ['::1', '::1'],
    ['::', '::'],
    ['::ffff:0.0.3.4', '0.0.3.4'],
    ['::1.2.0.0', '1.2.0.0'],
    ['fe80::1%eth0', 'fe80::1'],
    ['255.255.255.255', '255.255.255.255'],
    ['2002:102:304::1', '2002:102:304::1'],
  ])('returns for %j the address %j', (address, expected) => {
    expect(canonicalAddress(address)).toBe(expected);
  });

  it.each([
    '',
    ' ',
    'unknown',
    '_hidden',
    'for=_hidden',
    'for=unknown',
    'localhost',
    '1.2.3',
    '1.2.3.4.5',
    '256.2.3.4',
    '0x1.2.3.4',
    '1.2.3.4:123456',
    '1.2.3.4/24',
    '1.2.3.4, 5.6.7.8',
    '1.2.3.4 5.6.7.8',
    '1.2.3.4%, 5.6.7.8',
    '1.2.3.4%x 5.6.7.8',
    'for=1.2.3.4, for=5.6.7.8',
    'for=1.2.3.4;x, for=5.6.7.8',
    'for="1.2.3.4";x=", for=5.6.7.8"',
    '2001:db8::1, 2001:db8::2',
    '2001:db8::1::2',
    '2001:db8::12345',
    '[2001:db8::1',
    '[2001:db8::1]x',
    '"1.2.3.4',
    '\x9b31m1.2.3.4',
    '1.2.3.4\0',
    '\u0661.2.3.4',
    '1'.repeat(4096),
    `1.2.3.4${' '.repeat(4096)}`,
    '"'.repeat(4096),
    undefined,
    null,
    7,
    ['1.2.3.4'],
    {},
  ])('returns unknown for %j', (address) => {
    expect(canonicalAddress(address)).toBe('unknown');
  });

  it.each(['1.2.3.4', '2001:db8::1', '::1', 'unknown'])(
    'returns %j, which is canonical, unchanged',
    (address) => {
      expect(canonicalAddress(address)).toBe(address);
    },
  );
});
