import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { parseAuthorization } from '../bearer/authorization-header.ts';
import { soleAuthorization } from './read-node-request.ts';

/** The request that an HTTP server of Node.js parses from these header lines. */
async function receivedRequest(lines: readonly string[]): Promise<IncomingMessage> {
  const server = createServer((_, response) => response.end()).listen(0, '127.0.0.1');
  try {
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const request = once(server, 'request');
    socket.write(`GET / HTTP/1.1\r\nHost: x\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`);
    const [message] = (await request) as [IncomingMessage];
    socket.destroy();
    return message;
  } finally {
    server.close();
  }
}

describe('soleAuthorization', () => {
  it('returns the Authorization header of a request that has one', async () => {
    const request = await receivedRequest([
      'Accept: */*',
      'AUTHORIZATION: Bearer a.b.c',
      'X-Other: 1',
    ]);
    expect(soleAuthorization(request)).toBe('Bearer a.b.c');
  });

  it('returns undefined for a request without an Authorization header', async () => {
    const request = await receivedRequest([
      'X-Value: authorization',
      'Proxy-Authorization: Bearer a',
    ]);
    expect(soleAuthorization(request)).toBeUndefined();
  });

  it('returns the value that a middleware of the host has assigned to headers.authorization', async () => {
    const request = await receivedRequest(['Cookie: session=1']);
    request.headers.authorization = 'Bearer from.the.cookie';
    expect(soleAuthorization(request)).toBe('Bearer from.the.cookie');
  });

  it.each([
    [['Authorization: Bearer a.b.c', 'authorization: Bearer d.e.f']],
    [['Authorization: Bearer a.b.c', 'Authorization: Bearer a.b.c']],
    [['Authorization: Bearer a.b.c', 'Authorization:']],
    [['Authorization:', 'Authorization: Bearer a.b.c']],
    [['Authorization: Basic dTpw', 'Authorization: Bearer a.b.c']],
    [['Authorization: Bearer', 'Authorization: a.b.c']],
  ])('returns a value that parses as no bearer token for the two headers %j', async (lines) => {
    const request = await receivedRequest(lines);
    expect(parseAuthorization(soleAuthorization(request)).kind).not.toBe('bearer');
  });
});
