import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect, createServer, type Http2ServerRequest } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { RequestBody } from './messages.ts';
import { readNodeBody } from './read-node-body.ts';

/** Reads the body of a request over HTTP/2, whose headers say nothing of it. */
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
  // Frameworks over HTTP/2 pass it like this: the members that we use are the same in both.
  return readNodeBody(req as unknown as IncomingMessage, undefined);
}

describe('readNodeBody over HTTP/2', () => {
  it('reads a body that no header announces', async () => {
    const body = await read('{"a":1}');
    expect(body.kind === 'raw' && String(body.bytes)).toBe('{"a":1}');
  });

  it.each([
    ['none was sent', undefined],
    ['it is empty', ''],
  ])('finds no body if %s', async (_, body) => {
    expect(await read(body)).toEqual({ kind: 'none' });
  });
});
