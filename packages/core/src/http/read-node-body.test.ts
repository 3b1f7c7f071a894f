import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { chunked, dial, type Host, post, serve, textOf } from './node-body-fixture.test.support.ts';

const EMPTY_CHUNKS = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n';

describe('readNodeBody, where nobody has read before', () => {
  it('reads the bytes', async () => {
    expect(textOf(await post(await serve(), '{"a":"é"}'))).toBe('{"a":"é"}');
  });

  it('puts chunks together', async () => {
    expect(textOf(await post(await serve(), chunked('{"a"', ':', '1}')))).toBe('{"a":1}');
  });

  it('reads past the {} that body-parser 1 leaves for a body that it has skipped', async () => {
    expect(textOf(await post(await serve(() => ({})), '{"a":1}'))).toBe('{"a":1}');
  });

  it.each([
    ['no framing header', null],
    ['a length of 0', ''],
  ])('finds no body behind %s', async (_, body) => {
    expect(await post(await serve(), body)).toEqual({ kind: 'none' });
  });

  it('finds no body in chunks that hold nothing', async () => {
    const host = await serve();
    dial(host, EMPTY_CHUNKS);
    await host.begun;
    expect(await host.bodies[0]).toEqual({ kind: 'none' });
  });

  it('reads what a listener of the host hears too', async () => {
    let heard = '';
    const host = await serve((req) => {
      req.on('data', (chunk) => {
        heard += chunk;
      });
    });
    expect(textOf(await post(host, '{"a":1}'))).toBe('{"a":1}');
    expect(heard).toBe('{"a":1}');
  });

  it('wakes a stream that the host has paused', async () => {
    const host = await serve((req) => void req.pause());
    expect(textOf(await post(host, '{"a":1}'))).toBe('{"a":1}');
  });

  it.each(['utf8', 'latin1'] as const)('takes strings, where the host has set %s', async (set) => {
    const host = await serve((req) => void req.setEncoding(set));
    expect(textOf(await post(host, '{"a":"é"}'))).toBe('{"a":"é"}');
  });
});

describe('readNodeBody, where the host has read before', () => {
  const readBy = (leave: (body: string) => unknown): Host => {
    return async (req) => leave(await text(req));
  };

  it.each([{ a: 1 }, [1], null, 7, false])('takes %j as parsed', async (value) => {
    expect(await post(await serve(readBy(() => value)), '{}')).toEqual({ kind: 'parsed', value });
  });

  it.each([
    ['a Buffer', (body: string) => Buffer.from(body)],
    ['a Uint8Array', (body: string) => new TextEncoder().encode(body)],
    ['a string', (body: string) => body],
  ])('takes %s as bytes', async (_, leave) => {
    expect(textOf(await post(await serve(readBy(leave)), '{"a":"é"}'))).toBe('{"a":"é"}');
  });

  it('says so where nothing is left of it', async () => {
    expect(await post(await serve(readBy(() => undefined)), '{}')).toEqual({
      kind: 'unreadable',
      reason: 'consumed',
    });
  });

  it('does not say that a body was lost where there was none', async () => {
    expect(await post(await serve(readBy(() => undefined)), null)).toEqual({ kind: 'none' });
  });

  it('does not say that a body was lost where its chunks held nothing', async () => {
    const host = await serve(readBy(() => undefined));
    dial(host, EMPTY_CHUNKS);
    await host.begun;
    expect(await host.bodies[0]).toEqual({ kind: 'none' });
  });

  it('does not wait for a stream that somebody else is reading', async () => {
    const host = await serve(async (req) => void (await once(req, 'data')));
    const head = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n';
    const socket = dial(host, `${head}12345`);
    await host.begun;
    expect(await host.bodies[0]).toEqual({ kind: 'unreadable', reason: 'consumed' });
    socket.write('67890');
  });
});
