import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import {
  chunked,
  type Host,
  post,
  serve,
  textOf,
  writeRaw,
} from './node-body-fixture.test.support.ts';

const EMPTY_CHUNKS = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n';

describe('readNodeBody of a request that the host has not read', () => {
  it('returns the bytes of the body', async () => {
    expect(textOf(await post(await serve(), '{"a":"é"}'))).toBe('{"a":"é"}');
  });

  it('concatenates chunks', async () => {
    expect(textOf(await post(await serve(), chunked('{"a"', ':', '1}')))).toBe('{"a":1}');
  });

  it('reads a body that body-parser 1 has skipped, which sets req.body to {}', async () => {
    expect(textOf(await post(await serve(() => ({})), '{"a":1}'))).toBe('{"a":1}');
  });

  it.each([
    ['no framing header', null],
    ['a length of 0', ''],
  ])('returns the kind none for %s', async (_, body) => {
    expect(await post(await serve(), body)).toEqual({ kind: 'none' });
  });

  it('returns the kind none for empty chunks', async () => {
    const host = await serve();
    writeRaw(host, EMPTY_CHUNKS);
    await host.begun;
    expect(await host.bodies[0]).toEqual({ kind: 'none' });
  });

  it('reads a body that a listener of the host also receives', async () => {
    let hostText = '';
    const host = await serve((req) => {
      req.on('data', (chunk) => {
        hostText += chunk;
      });
    });
    expect(textOf(await post(host, '{"a":1}'))).toBe('{"a":1}');
    expect(hostText).toBe('{"a":1}');
  });

  it('resumes a stream that the host has paused', async () => {
    const host = await serve((req) => void req.pause());
    expect(textOf(await post(host, '{"a":1}'))).toBe('{"a":1}');
  });

  it.each(['utf8', 'latin1'] as const)(
    'reads a body for which the host has set the encoding %s',
    async (encoding) => {
      const host = await serve((req) => void req.setEncoding(encoding));
      expect(textOf(await post(host, '{"a":"é"}'))).toBe('{"a":"é"}');
    },
  );
});

describe('readNodeBody of a request that the host has read', () => {
  const readAs = (toHostBody: (body: string) => unknown): Host => {
    return async (req) => toHostBody(await text(req));
  };

  it.each([{ a: 1 }, [1], null, 7, false])('returns %j as parsed', async (value) => {
    expect(await post(await serve(readAs(() => value)), '{}')).toEqual({ kind: 'parsed', value });
  });

  it.each([
    ['a Buffer', (body: string) => Buffer.from(body)],
    ['a Uint8Array', (body: string) => new TextEncoder().encode(body)],
    ['a string', (body: string) => body],
  ])('returns %s as raw bytes', async (_, toHostBody) => {
    expect(textOf(await post(await serve(readAs(toHostBody)), '{"a":"é"}'))).toBe('{"a":"é"}');
  });

  it('reports a body as consumed if the host has not kept it', async () => {
    expect(await post(await serve(readAs(() => undefined)), '{}')).toEqual({
      kind: 'unreadable',
      reason: 'consumed',
    });
  });

  it('returns the kind none if the request has no body', async () => {
    expect(await post(await serve(readAs(() => undefined)), null)).toEqual({ kind: 'none' });
  });

  it('returns the kind none if all chunks were empty', async () => {
    const host = await serve(readAs(() => undefined));
    writeRaw(host, EMPTY_CHUNKS);
    await host.begun;
    expect(await host.bodies[0]).toEqual({ kind: 'none' });
  });

  it('reports a body as consumed, without waiting, while the host is reading it', async () => {
    const host = await serve(async (req) => void (await once(req, 'data')));
    const head = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n';
    const socket = writeRaw(host, `${head}12345`);
    await host.begun;
    expect(await host.bodies[0]).toEqual({ kind: 'unreadable', reason: 'consumed' });
    socket.write('67890');
  });
});
