import { describe, expect, it } from 'vitest';
import { addressPrefix } from './address-prefix.ts';

describe('addressPrefix', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['unknown', 'unknown'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1', 'fe80:0:0:0::/64'],
  ])('counts %s as %s', (address, prefix) => {
    expect(addressPrefix(address)).toBe(prefix);
  });
});
