import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect, createServer, type Http2ServerRequest } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { RequestBody } from './messages.ts';
import { readNodeBody } from './read-node-request.ts';

/** Sends a request over HTTP/2 whose headers do not announce the body, and reads that body. */
async function readOverHttp2(body: string | undefined): Promise<RequestBody> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  onTestFinished(() => {
    client.destroy();
    server.close();
  });
  const request = client.request({ ':method': 'POST' }, { endStream: body === undefined });
  if (body !== undefined) request.end(body);
  const [req] = (await once(server, 'request')) as [Http2ServerRequest];
  expect(req.headers).not.toHaveProperty('content-length');
  // Frameworks over HTTP/2 pass this object too; it has all members that `readNodeBody` uses.
  return readNodeBody(req as unknown as IncomingMessage, undefined);
}

describe('readNodeBody over HTTP/2', () => {
  it('reads a body that no header announces', async () => {
    const body = await readOverHttp2('{"a":1}');
    expect(body.kind === 'raw' && String(body.bytes)).toBe('{"a":1}');
  });

  it.each([
    ['has no body', undefined],
    ['has an empty body', ''],
  ])('returns the kind none if the request %s', async (_, body) => {
    expect(await readOverHttp2(body)).toEqual({ kind: 'none' });
  });
});
