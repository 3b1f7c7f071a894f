import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect, createServer, type Http2ServerRequest } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { RequestBody } from './messages.ts';
import { readNodeBody } from './read-node-body.ts';

/** What is read of a request over HTTP/2, which says nothing of its body in its headers. */
async function read(body: string | undefined): Promise<RequestBody> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  onTestFinished(() => {
    client.destroy();
    server.close();
  });
  const sent = client.request({ ':method': 'POST' }, { endStream: body === undefined });
  if (body !== undefined) sent.end(body);
  const [req] = (await once(server, 'request')) as [Http2ServerRequest];
  expect(req.headers).not.toHaveProperty('content-length');
  // As frameworks over HTTP/2 hand it over: what is read of it is the same in both.
  return readNodeBody(req as unknown as IncomingMessage, undefined);
}

describe('readNodeBody over HTTP/2', () => {
  it('reads a body that no header announces', async () => {
    const body = await read('{"a":1}');
    expect(body.kind === 'raw' && String(body.bytes)).toBe('{"a":1}');
  });

  it.each([
    ['none was sent', undefined],
    ['it holds nothing', ''],
  ])('finds no body where %s', async (_, body) => {
    expect(await read(body)).toEqual({ kind: 'none' });
  });
});
