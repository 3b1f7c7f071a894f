import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { requestClient } from '../client-info/client-info.ts';
import type { AuthRequest } from '../http/messages.ts';

function request(
  headers: AuthRequest['headers'],
  remoteAddress: string = '192.0.2.7',
): AuthRequest {
  return {
    method: 'POST',
    path: '/token',
    mountPath: '',
    query: '',
    headers,
    body: { kind: 'none' },
    remoteAddress,
  } as AuthRequest;
}

it('the client of a request has its address and user agent', () => {
  expect(requestClient(request({ 'user-agent': 'curl/8' }))).toEqual({
    clientAddress: '192.0.2.7',
    userAgent: 'curl/8',
  });
  expect(requestClient(request({})).userAgent).toBeNull();
});

it('an IPv4 address that is mapped to IPv6 is returned as IPv4', () => {
  expect(requestClient(request({}, '::ffff:203.0.113.7')).clientAddress).toBe('203.0.113.7');
  expect(requestClient(request({}, '2001:db8::7')).clientAddress).toBe('2001:db8::7');
});

it('an address is returned without the port, brackets and quotes of a proxy', () => {
  expect(requestClient(request({}, '203.0.113.7:5678')).clientAddress).toBe('203.0.113.7');
  expect(requestClient(request({}, '"[2001:DB8::7]:443"')).clientAddress).toBe('2001:db8::7');
});

it('a missing address is null, and an invalid one is unknown', () => {
  expect(requestClient({ ...request({}), remoteAddress: undefined }).clientAddress).toBeNull();
  expect(requestClient(request({}, '')).clientAddress).toBe('unknown');
  expect(requestClient(request({}, `\x9b${'x'.repeat(8000)}`)).clientAddress).toBe('unknown');
});

it('a long user agent is cut to 256 characters', () => {
  expect(requestClient(request({ 'user-agent': 'x'.repeat(16_000) })).userAgent).toHaveLength(256);
});

it('a long user agent is not kept in memory beyond the cut', () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  const longName = (nth: number) => Buffer.alloc(16_000, `${nth} `).toString();
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  const clients = Array.from({ length: 1_000 }, (_, nth) =>
    requestClient(request({ 'user-agent': longName(nth) })),
  );
  collectGarbage();
  const grownBytes = process.memoryUsage().heapUsed - before;
  expect(clients).toHaveLength(1_000);
  expect(grownBytes).toBeLessThan(2_000_000);
});

it('control characters are replaced in the user agent', () => {
  // In terminals, 0x9B begins an escape sequence, and 0x85 begins a line.
  const { userAgent } = requestClient(request({ 'user-agent': 'a\t\x9b31m\x85b caf\xe9' }));
  expect(userAgent).toBe('a\ufffd\ufffd31m\ufffdb caf\xe9');
});
