import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type TLSSocket, type TlsOptions } from 'node:tls';
import { onTestFinished } from 'vitest';
import type { SenderOptions } from './create-sender.ts';
import { request, resultOf, sender } from './receivers.test.support.ts';

/** Longer than any attempt of these tests takes. */
const PATIENT_MS = 60_000;

/** Creates a function that sends to receivers with the certificate of these tests. Default: for account 1. */
export function trustingSend(options: Partial<SenderOptions> = {}) {
  const { send } = sender({ timeoutMs: PATIENT_MS, ca: SELF_SIGNED.cert, ...options });
  return async (url: string, accountId = 1) => resultOf(await send(request(url, accountId)));
}

function respond(socket: TLSSocket): void {
  socket.write('HTTP/1.1 204 No Content\r\n\r\n');
}

/** Responds with 204, and closes the connection. */
export function respondAndClose(socket: TLSSocket): void {
  socket.end('HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n');
}

/** Starts a TLS receiver that counts requests and connections. Default: it responds with 204. */
export async function tlsServer(
  options: TlsOptions = {},
  answer: (socket: TLSSocket) => unknown = respond,
) {
  const rejections: unknown[] = [];
  const sockets = new Set<TLSSocket>();
  let received = 0;
  let accepted = 0;
  let connections = 0;
  const server = createServer({ ...SELF_SIGNED, ...options }, (socket) => {
    connections++;
    socket
      .on('error', () => {})
      .on('data', () => {
        received++;
        answer(socket);
      });
    sockets.add(socket);
  });
  server
    .on('connection', () => accepted++)
    .on('tlsClientError', (error) => rejections.push(Reflect.get(error, 'code')))
    .listen(0);
  const rejected = new Promise<void>((resolve) => server.once('tlsClientError', () => resolve()));
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { port, rejected, requests: () => ({ received, accepted, connections, rejections }) };
}

/** Starts a TLS receiver that presents so many certificates, each of some 400 bytes. */
export function longChainServer(certificates: number, answer = respond) {
  return tlsServer({ cert: Array(certificates).fill(SELF_SIGNED.cert).join('\n') }, answer);
}

/** A self-signed certificate for 127.0.0.1. */
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
