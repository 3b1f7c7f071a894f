import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { warningsOf } from '../warnings-of.test.support.ts';

let canonicalClient: typeof import('./client-info.ts').canonicalClient;
beforeEach(async () => {
  // A process that has not warned yet.
  vi.resetModules();
  ({ canonicalClient } = await import('./client-info.ts'));
});
afterEach(() => vi.restoreAllMocks());

const from = (clientAddress: string) => canonicalClient({ clientAddress, userAgent: null });

it('canonicalClient returns one canonical address for all spellings', () => {
  expect(from('"[2001:DB8::1]:443"').clientAddress).toBe('2001:db8::1');
  expect(from('::ffff:102:304').clientAddress).toBe('1.2.3.4');
});

it('canonicalClient returns no other field than clientAddress and userAgent', () => {
  const request = { clientAddress: '192.0.2.1', userAgent: 'curl', password: 'secret' };
  expect(canonicalClient(request)).toEqual({ clientAddress: '192.0.2.1', userAgent: 'curl' });
  expect(canonicalClient()).toEqual({ clientAddress: null, userAgent: null });
});

it('canonicalClient warns once for all invalid addresses, without quoting any of them', () => {
  const emit = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  for (const address of ['', 'unknown', '_hidden', '1.2.3.4, 5.6.7.8', 'x'.repeat(4096)]) {
    expect(from(address).clientAddress).toBe('unknown');
  }
  expect(emit.mock.calls).toHaveLength(1);
  expect(String(emit.mock.calls[0])).not.toMatch(/_hidden|1\.2\.3\.4|xx/);
});

it('canonicalClient does not warn for a valid or an absent address', () => {
  const codes = warningsOf(() => {
    from('192.0.2.1:80');
    canonicalClient();
  });
  expect(codes).toEqual([]);
});
