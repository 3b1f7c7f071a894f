import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type RawBody, readRawBody } from './read-raw-body.ts';

const LIMIT = 9;

/** Runs before the body is read, like an earlier middleware or the sender. */
type Before = (req: IncomingMessage, sender: Socket) => unknown;

/** Sends a request with this framing and body, and reads its body. */
async function sendAndRead(framingAndBody: string, before: Before = () => {}): Promise<RawBody> {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const sender = connect((server.address() as AddressInfo).port, '127.0.0.1');
  onTestFinished(() => void sender.destroy());
  sender.write(`POST / HTTP/1.1\r\nHost: a\r\n${framingAndBody}`);
  const [req] = (await once(server, 'request')) as [IncomingMessage];
  await before(req, sender);
  return readRawBody(req, [], LIMIT);
}

function textOf(body: RawBody): string {
  if (body.kind !== 'raw') throw new Error(`not raw: ${body.kind}`);
  return Buffer.from(body.bytes).toString();
}

describe('readRawBody', () => {
  describe.each([
    ['without framing', '\r\n'],
    ['of length 0', 'Content-Length: 0\r\n\r\n'],
    ['in empty chunks', 'Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
  ])('of an empty body %s', (_, request) => {
    it('resolves to empty bytes', async () => {
      expect(textOf(await sendAndRead(request))).toBe('');
    });

    it('resolves to empty bytes even after a parser has read the stream', async () => {
      expect(textOf(await sendAndRead(request, text))).toBe('');
    });
  });

  it.each(['utf8', 'latin1'] as const)(
    'resolves to the original bytes if the host has set the encoding %s',
    async (encoding) => {
      const body = await sendAndRead('Content-Length: 4\r\n\r\n"é"', (req) =>
        req.setEncoding(encoding),
      );
      expect(textOf(body)).toBe('"é"');
    },
  );

  it('resolves to the original bytes even if a chunk is overwritten after it arrived', async () => {
    const req = Object.assign(new PassThrough(), { headers: {} }) as unknown as IncomingMessage;
    const body = readRawBody(req, [], LIMIT);
    for (const text of ['one', 'by', 'one']) {
      const chunk = Buffer.from(text);
      req.emit('data', chunk);
      chunk.fill('-');
    }
    req.emit('end');
    expect(textOf(await body)).toBe('onebyone');
  });

  it('reallocates only when the size doubles, even if each chunk is one byte', async () => {
    const req = Object.assign(new PassThrough(), { headers: {} }) as unknown as IncomingMessage;
    const allocate = vi.spyOn(Buffer, 'allocUnsafeSlow');
    onTestFinished(() => allocate.mockRestore());
    const body = readRawBody(req, [], 1_024);
    for (let i = 0; i < 1_024; i += 1) req.emit('data', Buffer.from('a'));
    req.emit('end');
    expect(textOf(await body)).toBe('a'.repeat(1_024));
    expect(allocate.mock.calls.map(([bytes]) => bytes)).toEqual(
      Array.from({ length: 11 }, (_, doublings) => 2 ** doublings),
    );
  });

  it('resolves to `too_large` by the Content-Length, before the body has arrived', async () => {
    const request = `Content-Length: ${LIMIT + 1}\r\n\r\n`;
    expect(await sendAndRead(request)).toEqual({ kind: 'too_large' });
  });

  it('resolves to `aborted` if the sender disconnected before the call', async () => {
    const body = await sendAndRead('Content-Length: 5\r\n\r\n', async (req, sender) => {
      sender.destroy();
      await new Promise((resolve) => req.once('close', resolve));
    });
    expect(body).toEqual({ kind: 'aborted' });
  });
});
