import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { clientOfRequest } from '../client-info/client-info.ts';
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
  expect(clientOfRequest(request({ 'user-agent': 'curl/8' }))).toEqual({
    clientAddress: '192.0.2.7',
    userAgent: 'curl/8',
  });
  expect(clientOfRequest(request({})).userAgent).toBeNull();
});

it('an IPv4 address that is mapped to IPv6 is returned as IPv4', () => {
  expect(clientOfRequest(request({}, '::ffff:203.0.113.7')).clientAddress).toBe('203.0.113.7');
  expect(clientOfRequest(request({}, '2001:db8::7')).clientAddress).toBe('2001:db8::7');
});

it('an address is returned without the port, brackets and quotes of a proxy', () => {
  expect(clientOfRequest(request({}, '203.0.113.7:5678')).clientAddress).toBe('203.0.113.7');
  expect(clientOfRequest(request({}, '"[2001:DB8::7]:443"')).clientAddress).toBe('2001:db8::7');
});

it('a missing address is null, and an invalid one is unknown', () => {
  expect(clientOfRequest({ ...request({}), remoteAddress: undefined }).clientAddress).toBeNull();
  expect(clientOfRequest(request({}, '')).clientAddress).toBe('unknown');
  expect(clientOfRequest(request({}, `\x9b${'x'.repeat(8000)}`)).clientAddress).toBe('unknown');
});

it('a long user agent is cut to 256 characters', () => {
  expect(clientOfRequest(request({ 'user-agent': 'x'.repeat(16_000) })).userAgent).toHaveLength(
    256,
  );
});

it('a long user agent is not kept in memory beyond the cut', () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  const longName = (nth: number) => Buffer.alloc(16_000, `${nth} `).toString();
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  const clients = Array.from({ length: 1_000 }, (_, nth) =>
    clientOfRequest(request({ 'user-agent': longName(nth) })),
  );
  collectGarbage();
  const grownBytes = process.memoryUsage().heapUsed - before;
  expect(clients).toHaveLength(1_000);
  expect(grownBytes).toBeLessThan(2_000_000);
});

it('control characters are replaced in the user agent', () => {
  // In terminals, 0x9B begins an escape sequence, and 0x85 begins a line.
  const { userAgent } = clientOfRequest(request({ 'user-agent': 'a\t\x9b31m\x85b caf\xe9' }));
  expect(userAgent).toBe('a\ufffd\ufffd31m\ufffdb caf\xe9');
});
