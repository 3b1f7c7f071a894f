import { once } from 'node:events';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { request, sender } from './receivers.test.support.ts';
import { tlsServer, trustingSend } from './tls-receivers.test.support.ts';

describe('guardedConnector over TLS', () => {
  it('trusts the authority of the option `ca` only for the host name of the certificate', async () => {
    const { port, requests } = await tlsServer();
    const send = trustingSend();
    const post = async (host: string) => {
      const result = await send(`https://${host}:${port}/`);
      return result.status ?? result.error;
    };
    expect(await post('127.0.0.1')).toBe(204);
    expect(await post('127.0.0.1')).toBe(204);
    expect(requests()).toMatchObject({ received: 2, connections: 1 });
    expect(await post('localhost')).toBe('tls_failed');
  });

  it('cuts off a receiver that sends far more TLS records than content', async () => {
    const { port } = await tlsServer({}, async (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nX: ');
      // Each write is a TLS record of at least 23 bytes. The headers stay below the parser's limit.
      for (let count = 1; count <= 8_000; count += 1) {
        await new Promise((written) => socket.write('x', written));
      }
    });
    const result = await trustingSend()(`https://127.0.0.1:${port}/`);
    expect(result).toMatchObject({ status: null, error: 'invalid_answer' });
  });

  it('rejects TLS renegotiation by a receiver', async () => {
    const outcomes: unknown[] = [];
    const { port } = await tlsServer({ maxVersion: 'TLSv1.2' }, (socket) => {
      const end = (outcome: unknown) => {
        outcomes.push(outcome);
        socket.destroy();
      };
      socket.on('error', (error) => end(Reflect.get(error, 'code')));
      socket.renegotiate({}, () => end('done'));
    });
    await trustingSend()(`https://127.0.0.1:${port}/`);
    expect(outcomes).toEqual(['ERR_SSL_NO_RENEGOTIATION']);
  });

  it('verifies certificates despite NODE_TLS_REJECT_UNAUTHORIZED=0', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    onTestFinished(() => void vi.unstubAllEnvs());
    const { port, requests } = await tlsServer();
    const { send } = sender({ allowHttp: false });
    const url = `https://127.0.0.1:${port}`;
    const result = await send(request(url));
    expect(result).toMatchObject({ status: null, error: 'tls_failed' });
    expect(requests().received).toBe(0);
  });

  it('offers no finite-field Diffie-Hellman to receivers', async () => {
    const { url, hello } = await helloServer();
    const { send } = sender({ allowHttp: false });
    await send(request(url));
    const { suites, groups } = parseOffers(await hello);
    expect(suites).toContain(ECDHE_RSA);
    expect(suites.filter((suite) => DHE.includes(suite))).toEqual([]);
    const curves = [X25519, 0x0017, 0x0018, 0x0019];
    expect(groups).toEqual(KNOWS_ML_KEM ? [X25519_ML_KEM, ...curves] : curves);
    // In TLS 1.3, finite-field groups are offered in the same list as the curves.
    const options = { ecdhCurve: 'ffdhe2048', minVersion: 'TLSv1.3' } as const;
    const { port, requests, rejected } = await tlsServer(options);
    expect(await send(request(`https://127.0.0.1:${port}`))).toMatchObject({ error: 'tls_failed' });
    await rejected;
    expect(requests().rejections).toEqual([expect.stringMatching(/^ERR_SSL_NO_/)]);
  });
});

/** Numbers of cipher suites and groups by the registry of IANA. */
const ECDHE_RSA = 0xc02f;
const DHE = [
  0x0033, 0x0039, 0x0040, 0x0067, 0x006a, 0x006b, 0x009e, 0x009f, 0x00a2, 0x00a3, 0xc044, 0xc045,
  0xc052, 0xc053, 0xc09e, 0xc09f, 0xc0a2, 0xc0a3, 0xccaa,
];

const X25519 = 0x001d;
const X25519_ML_KEM = 0x11ec;
const [openSslMajor = 0, openSslMinor = 0] = process.versions.openssl.split('.').map(Number);
const KNOWS_ML_KEM = openSslMajor > 3 || (openSslMajor === 3 && openSslMinor >= 5);

/** Starts a receiver that reads a ClientHello, and then disconnects. */
async function helloServer() {
  let onHello = (_hello: Buffer): void => {};
  const hello = new Promise<Buffer>((resolve) => {
    onHello = resolve;
  });
  const server = createTcpServer((socket) => {
    socket
      .on('error', () => {})
      .once('data', (bytes) => {
        onHello(bytes);
        socket.destroy();
      });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, hello };
}

/** Parses the offers of a ClientHello (RFC 8446 4.1.2), which follow headers, version, random and session id. */
function parseOffers(hello: Buffer): { suites: number[]; groups: number[] } {
  const suitesAt = 44 + (hello[43] ?? 0);
  const suites = numbersAt(hello, suitesAt);
  // The extensions follow the suites and the list of one compression method.
  let at = suitesAt + 2 + 2 * suites.length + 4;
  while (at < hello.length && hello.readUInt16BE(at) !== SUPPORTED_GROUPS) {
    at += 4 + hello.readUInt16BE(at + 2);
  }
  return { suites, groups: at < hello.length ? numbersAt(hello, at + 4) : [] };
}

/** The type of the extension with the groups. */
const SUPPORTED_GROUPS = 10;

/** Parses a list of 16-bit numbers that follows its length in bytes. */
function numbersAt(bytes: Buffer, at: number): number[] {
  const count = bytes.readUInt16BE(at) / 2;
  return Array.from({ length: count }, (_, i) => bytes.readUInt16BE(at + 2 + 2 * i));
}
