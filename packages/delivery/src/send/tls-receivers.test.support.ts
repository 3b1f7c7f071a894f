import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer as createTcpServer } from 'node:net';
import { createServer, type TLSSocket, type TlsOptions } from 'node:tls';
import { systemTimers } from '@latchhook/core/delivery';
import { onTestFinished } from 'vitest';
import { createConnections } from './connections.ts';
import { type ConnectorOptions, guardedConnector } from './guarded-connector.ts';
import { always, emptyRequest, resultOf } from './receivers.test.support.ts';
import { sendSigned } from './send-signed.ts';

/** No claim is made of how soon. */
const PATIENT_MS = 60_000;

/** Sends to receivers with the certificate of these tests. */
export function trusting(options: Partial<ConnectorOptions> = {}) {
  const connect = guardedConnector({
    allowPrivateAddresses: true,
    timeoutMs: PATIENT_MS,
    ca: SELF_SIGNED.cert,
    ...options,
  });
  const connections = createConnections(connect);
  onTestFinished(() => connections.close());
  const times = { mayBegin: always, timestampMs: 0, timeoutMs: PATIENT_MS, timers: systemTimers };
  return async (url: string) => {
    const signed = emptyRequest(url);
    return resultOf(await sendSigned(connections, signed, times));
  };
}

function takeIt(socket: TLSSocket): void {
  socket.write('HTTP/1.1 204 No Content\r\n\r\n');
}

/** Takes a request, and closes the connection. */
export function takeItAndClose(socket: TLSSocket): void {
  socket.end('HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n');
}

/** Answers 204 unless told otherwise, and counts. */
export async function tlsServer(
  options: TlsOptions = {},
  answer: (socket: TLSSocket) => unknown = takeIt,
) {
  const refusals: unknown[] = [];
  const sockets = new Set<TLSSocket>();
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
    sockets.add(socket);
  });
  server
    .on('connection', () => accepted++)
    .on('tlsClientError', (error) => refusals.push(Reflect.get(error, 'code')))
    .listen(0);
  const refused = new Promise<void>((resolve) => server.once('tlsClientError', () => resolve()));
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { port, refused, requests: () => ({ sent, accepted, connections, refusals }) };
}

/** One whose certificates keep the process busy for 20 ms each, and more; or for what the test makes of it. */
export async function busyServer(certificates = 6, answer = takeIt, keepBusy = tenMs) {
  const cert = Array(certificates).fill(SELF_SIGNED.cert).join('\n');
  const { port, requests } = await tlsServer({ cert }, answer);
  return { port: await busyProxy(port, keepBusy), requests };
}

function tenMs(): void {
  const begunAtMs = performance.now();
  while (performance.now() - begunAtMs < 10);
}

/** Passes on what a server sends piece by piece, and keeps the process busy before each, as verifying would. */
async function busyProxy(port: number, keepBusy: () => void): Promise<number> {
  const proxy = createTcpServer((client) => {
    const server = createConnection(port, '127.0.0.1');
    client.pipe(server).on('error', () => {});
    client.on('error', () => {}).on('close', () => server.destroy());
    server.on('data', async (bytes) => {
      server.pause();
      for (let at = 0; at < bytes.length; at += 200) {
        keepBusy();
        client.write(bytes.subarray(at, at + 200));
        await new Promise((read) => setTimeout(read, 1));
      }
      server.resume();
    });
  });
  proxy.listen(0);
  await once(proxy, 'listening');
  onTestFinished(() => void proxy.close());
  return (proxy.address() as AddressInfo).port;
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
