import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer as createTcpServer } from 'node:net';
import { createServer, type TLSSocket, type TlsOptions } from 'node:tls';
import { systemTimers } from '@latchhook/core/delivery';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { attempt } from './attempt.ts';
import { createConnections } from './connections.ts';
import { guardedConnector } from './guarded-connector.ts';
import { always, request, sender } from './receivers.test.support.ts';
import { toTarget } from './target.ts';

/** No claim is made of how soon. */
const PATIENT_MS = 60_000;

const closeAll: (() => unknown)[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const close of closeAll.splice(0).reverse()) await close();
});

describe('guardedConnector over TLS', () => {
  it('trusts an authority, and speaks for the host that the certificate names', async () => {
    const { port, requests } = await tlsServer();
    const send = trusting();
    const post = async (host: string) => {
      const result = await send(`https://${host}:${port}/`);
      return result?.status ?? result?.error;
    };
    expect(await post('127.0.0.1')).toBe(204);
    expect(await post('127.0.0.1')).toBe(204);
    expect(requests()).toMatchObject({ sent: 2, connections: 1 });
    expect(await post('localhost')).toBe('tls_failed');
  });

  it('cuts off a receiver of which TLS has more to do than comes out', async () => {
    const { port } = await tlsServer({}, async (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n');
      // One record each, of 23 bytes and more.
      while (!socket.destroyed) await new Promise((written) => socket.write('x', written));
    });
    const result = await trusting()(`https://127.0.0.1:${port}/`);
    expect(result).toMatchObject({ status: 200, error: 'invalid_answer' });
  });

  it('shakes hands once, however often a receiver asks for more', async () => {
    const outcomes: unknown[] = [];
    const { port } = await tlsServer({ maxVersion: 'TLSv1.2' }, (socket) => {
      const end = (outcome: unknown) => {
        outcomes.push(outcome);
        socket.destroy();
      };
      socket.on('error', (error) => end(Reflect.get(error, 'code')));
      socket.renegotiate({}, () => end('done'));
    });
    await trusting()(`https://127.0.0.1:${port}/`);
    expect(outcomes).toEqual(['ERR_SSL_NO_RENEGOTIATION']);
  });

  it('verifies certificates, whatever the environment says', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    const { port, requests } = await tlsServer();
    const { send } = sender({ allowHttp: false });
    const url = `https://127.0.0.1:${port}`;
    const result = await send(request(url));
    expect(result).toMatchObject({ status: null, error: 'tls_failed' });
    expect(requests().sent).toBe(0);
  });

  it('leaves an origin in peace whose handshake fails and keeps the process busy', async () => {
    const { port: itsOwn, requests } = await tlsServer({
      cert: Array(5).fill(SELF_SIGNED.cert).join('\n'),
    });
    const port = await busyProxy(itsOwn);
    const { send } = sender({ allowHttp: false });
    const failed = { status: null, error: 'tls_failed' };
    const sends = [1, 2, 3].map(() => send(request(`https://localhost:${port}`)));
    for (const result of await Promise.all(sends)) expect(result).toMatchObject(failed);
    const { accepted } = requests();
    expect(await send(request(`https://localhost:${port}`))).toMatchObject(failed);
    expect(requests().accepted).toBe(accepted);
    // Other origins, though it is the same machine.
    await send(request(`https://127.0.0.1:${port}`));
    expect(requests().accepted).toBe(accepted + 1);
    const other = await tlsServer();
    await send(request(`https://localhost:${other.port}`));
    expect(other.requests().accepted).toBe(1);
  });

  it('lets no receiver choose how large the numbers are that keys come of', async () => {
    const { url, hello } = await helloServer();
    const { send } = sender({ allowHttp: false });
    await send(request(url));
    const { suites, groups } = read(await hello);
    expect(suites).toContain(ECDHE_RSA);
    expect(suites.filter((suite) => DHE.includes(suite))).toEqual([]);
    const curves = [X25519, 0x0017, 0x0018, 0x0019];
    expect(groups).toEqual(KNOWS_ML_KEM ? [X25519_ML_KEM, ...curves] : curves);
    // The same of TLS 1.3, where they are groups beside the curves.
    const { port, requests } = await tlsServer({ ecdhCurve: 'ffdhe2048', minVersion: 'TLSv1.3' });
    expect(await send(request(`https://127.0.0.1:${port}`))).toMatchObject({ error: 'tls_failed' });
    await expect.poll(() => requests().refusals).toEqual([expect.stringMatching(/^ERR_SSL_NO_/)]);
  });
});

/** Sends to receivers with the certificate of these tests. */
function trusting() {
  const connect = guardedConnector({
    allowPrivateAddresses: true,
    timeoutMs: PATIENT_MS,
    ca: SELF_SIGNED.cert,
  });
  const connections = createConnections(connect);
  closeAll.push(() => connections.close());
  const times = { mayBegin: always, timestampMs: 0, timeoutMs: PATIENT_MS, timers: systemTimers };
  return (url: string) =>
    attempt(connections, { target: toTarget(new URL(url)), headers: [], body: '' }, times);
}

/** As the registry of IANA numbers them. */
const ECDHE_RSA = 0xc02f;
const DHE = [
  ...[0x0033, 0x0039, 0x0040, 0x0067, 0x006a, 0x006b, 0x009e, 0x009f, 0x00a2, 0x00a3],
  ...[0xc044, 0xc045, 0xc052, 0xc053, 0xc09e, 0xc09f, 0xc0a2, 0xc0a3, 0xccaa],
];

const X25519 = 0x001d;
const X25519_ML_KEM = 0x11ec;
const [openSslMajor = 0, openSslMinor = 0] = process.versions.openssl.split('.').map(Number);
const KNOWS_ML_KEM = openSslMajor > 3 || (openSslMajor === 3 && openSslMinor >= 5);

/** Takes the first word of TLS, and hangs up. */
async function helloServer() {
  let hear = (_hello: Buffer): void => {};
  const hello = new Promise<Buffer>((resolve) => {
    hear = resolve;
  });
  const server = createTcpServer((socket) => {
    socket
      .on('error', () => {})
      .once('data', (bytes) => {
        hear(bytes);
        socket.destroy();
      });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closeAll.push(() => server.close());
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, hello };
}

/** Passes on what a server sends piece by piece, and keeps the process busy before each, as verifying would. */
async function busyProxy(port: number): Promise<number> {
  const proxy = createTcpServer((client) => {
    const server = createConnection(port, '127.0.0.1');
    client.pipe(server).on('error', () => {});
    client.on('error', () => {}).on('close', () => server.destroy());
    server.on('data', async (bytes) => {
      server.pause();
      for (let at = 0; at < bytes.length; at += 200) {
        const begunAtMs = performance.now();
        while (performance.now() - begunAtMs < 10);
        client.write(bytes.subarray(at, at + 200));
        await new Promise((read) => setTimeout(read, 1));
      }
      server.resume();
    });
  });
  proxy.listen(0);
  await once(proxy, 'listening');
  closeAll.push(() => proxy.close());
  return (proxy.address() as AddressInfo).port;
}

/** Reads what a ClientHello offers (RFC 8446 4.1.2): behind headers, version, random, and the id of a session. */
function read(hello: Buffer): { suites: number[]; groups: number[] } {
  const suitesAt = 44 + (hello[43] ?? 0);
  const suites = numbersAt(hello, suitesAt);
  // Behind the suites, and the one method of compression.
  let at = suitesAt + 2 + 2 * suites.length + 4;
  while (at < hello.length && hello.readUInt16BE(at) !== SUPPORTED_GROUPS) {
    at += 4 + hello.readUInt16BE(at + 2);
  }
  return { suites, groups: at < hello.length ? numbersAt(hello, at + 4) : [] };
}

/** The type of the extension. */
const SUPPORTED_GROUPS = 10;

/** A list of 16-bit numbers, behind its length in bytes. */
function numbersAt(bytes: Buffer, at: number): number[] {
  const count = bytes.readUInt16BE(at) / 2;
  return Array.from({ length: count }, (_, nth) => bytes.readUInt16BE(at + 2 + 2 * nth));
}

function takeIt(socket: TLSSocket): void {
  socket.write('HTTP/1.1 204 No Content\r\n\r\n');
}

/** Answers 204 unless told otherwise, and counts. */
async function tlsServer(
  options: TlsOptions = {},
  answer: (socket: TLSSocket) => unknown = takeIt,
) {
  const refusals: unknown[] = [];
  let sent = 0;
  let accepted = 0;
  let connections = 0;
  const server = createServer({ ...SELF_SIGNED, ...options }, (socket) => {
    connections++;
    socket
      .on('error', () => {})
      .on('data', () => {
        sent++;
        answer(socket);
      });
    closeAll.push(() => socket.destroy());
  });
  server
    .on('connection', () => accepted++)
    .on('tlsClientError', (error) => refusals.push(Reflect.get(error, 'code')))
    .listen(0);
  await once(server, 'listening');
  closeAll.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  return { port, requests: () => ({ sent, accepted, connections, refusals }) };
}

/** Of nobody: a certificate for 127.0.0.1 that no authority has signed. */
const SELF_SIGNED = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgGiXsp4YZvoEd1xsb
H2NFdkvb6PLGQ5HUay8OG1nfGeyhRANCAASIcK+hPt5eaGepjq1DIWkHi4h+g7Me
SgYD6Oq7/IiM3Qo1TjL4YfB1Eq8AAE1ZI/jyME6/z2ldWaqO0HZrQ58h
-----END PRIVATE KEY-----`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBhjCCASygAwIBAgIUX5ZOX52Kr1+JeAq/VeCUrJS+yPQwCgYIKoZIzj0EAwIw
DzENMAsGA1UEAwwEdGVzdDAgFw0yNjExMjAxNjQwNTFaGA8yMTI2MTAyNzE2NDA1
MVowDzENMAsGA1UEAwwEdGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABIhw
r6E+3l5oZ6mOrUMhaQeLiH6Dsx5KBgPo6rv8iIzdCjVOMvhh8HUSrwAATVkj+PIw
Tr/PaV1Zqo7QdmtDnyGjZDBiMB0GA1UdDgQWBBSr+J2NYC0LQfBE9ltr0ju/xE5Z
aTAfBgNVHSMEGDAWgBSr+J2NYC0LQfBE9ltr0ju/xE5ZaTAPBgNVHRMBAf8EBTAD
AQH/MA8GA1UdEQQIMAaHBH8AAAEwCgYIKoZIzj0EAwIDSAAwRQIhAJAsXzavHjZq
Pruxa+YRGKXrIHGVc20QG3Y4G2QXHOswAiAkbzrUfFy+fsB3CHo45D9TqP6DmkEL
FlS+FNSxse4Bpg==
-----END CERTIFICATE-----`,
};
