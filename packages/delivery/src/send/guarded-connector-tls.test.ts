import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { attempt } from './attempt.ts';
import { createConnections } from './connections.ts';
import { createSender } from './create-sender.ts';
import { guardedConnector } from './guarded-connector.ts';
import { always, request } from './receivers.test.support.ts';
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
    const connect = guardedConnector({
      allowPrivateAddresses: true,
      timeoutMs: PATIENT_MS,
      ca: SELF_SIGNED.cert,
    });
    const connections = createConnections(connect);
    closeAll.push(() => connections.close());
    const post = async (host: string) => {
      const target = toTarget(new URL(`https://${host}:${port}/`));
      const message = { target, headers: [], body: '' };
      const times = { mayBegin: always, timestampMs: 0, timeoutMs: PATIENT_MS };
      const result = await attempt(connections, message, times);
      return result?.status ?? result?.error;
    };
    expect(await post('127.0.0.1')).toBe(204);
    expect(await post('127.0.0.1')).toBe(204);
    expect(requests()).toEqual({ sent: 2, connections: 1 });
    expect(await post('localhost')).toBe('tls_failed');
  });

  it('verifies certificates, whatever the environment says', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    const { port, requests } = await tlsServer();
    const { send, close } = createSender({ allowHttp: false, allowPrivateAddresses: true });
    closeAll.push(close);
    const url = `https://127.0.0.1:${port}`;
    const result = await send(request(url));
    expect(result).toMatchObject({ status: null, error: 'tls_failed' });
    expect(requests().sent).toBe(0);
  });
});

/** Answers 204, and counts. */
async function tlsServer() {
  let sent = 0;
  let connections = 0;
  const server = createServer(SELF_SIGNED, (socket) => {
    connections++;
    socket
      .on('error', () => {})
      .on('data', () => {
        sent++;
        socket.write('HTTP/1.1 204 No Content\r\n\r\n');
      });
    closeAll.push(() => socket.destroy());
  });
  server.on('tlsClientError', () => {}).listen(0);
  await once(server, 'listening');
  closeAll.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  return { port, requests: () => ({ sent, connections }) };
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
