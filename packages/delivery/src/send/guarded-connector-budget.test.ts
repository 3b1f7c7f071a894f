import { beforeEach, describe, expect, it } from 'vitest';
import { request, sender, stopPerformanceClock, tcpServer } from './receivers.test.support.ts';
import {
  longChainServer,
  respondAndClose,
  tlsServer,
  trustingSend,
} from './tls-receivers.test.support.ts';

const FAILED = { status: null, error: 'tls_failed' };
const DELIVERED = { status: 204, error: null };

/** A number of certificates that exceeds the budget of an endpoint. */
const COSTLY = 90;
/** A number of certificates that is free if the handshake succeeds, and within the budget if it fails five times. */
const ORDINARY = 6;

describe('guardedConnector to costly receivers', () => {
  // Budgets refill over time, and a busy machine takes seconds for the handshakes of a test.
  beforeEach(() => void stopPerformanceClock());

  it('stops connecting to an endpoint whose handshake fails after many certificates', async () => {
    const { port, requests } = await longChainServer(COSTLY);
    const { send } = sender({ allowHttp: false });
    expect(await send(request(`https://localhost:${port}`))).toMatchObject(FAILED);
    expect(await send(request(`https://localhost:${port}`, 2))).toMatchObject(FAILED);
    expect(requests().accepted).toBe(1);
    // Another host name is another endpoint, even on the same machine.
    await send(request(`https://127.0.0.1:${port}`, 2));
    expect(requests().accepted).toBe(2);
  });

  it('ends all pending handshakes with an endpoint once one of them exceeds the budget', async () => {
    const { port, requests } = await longChainServer(COSTLY);
    const { send } = sender({ allowHttp: false });
    const sends = Array.from({ length: 20 }, () => send(request(`https://localhost:${port}`)));
    for (const result of await Promise.all(sends)) expect(result).toMatchObject(FAILED);
    // A handshake ends with ECONNRESET if its certificates had not arrived yet.
    expect(requests().rejections.filter((code) => code !== 'ECONNRESET').length).toBeLessThan(10);
  });

  it('keeps connecting to an endpoint whose handshake fails after few certificates', async () => {
    const failingServer = await longChainServer(ORDINARY);
    const goodServer = await tlsServer();
    const send = trustingSend();
    for (let time = 1; time <= 5; time += 1) {
      // The certificate is for the address, not for this name.
      expect(await send(`https://localhost:${failingServer.port}`)).toMatchObject(FAILED);
      expect(failingServer.requests().accepted).toBe(time);
    }
    expect(await send(`https://127.0.0.1:${goodServer.port}`)).toMatchObject(DELIVERED);
  });

  it('keeps connecting to the other receivers of an account that was charged for a handshake', async () => {
    const costlyServer = await longChainServer(COSTLY);
    const otherServer = await tlsServer();
    const send = trustingSend();
    for (let time = 0; time < 2; time += 1)
      expect(await send(`https://localhost:${costlyServer.port}`)).toMatchObject(FAILED);
    expect(costlyServer.requests().accepted).toBe(1);
    expect(await send(`https://127.0.0.1:${otherServer.port}`)).toMatchObject(DELIVERED);
  });

  it('stops connecting to an endpoint whose handshake succeeds with many certificates', async () => {
    const { port, requests } = await longChainServer(150, respondAndClose);
    const send = trustingSend();
    // 60 KiB, of which 16 KiB are free. The budget is 32 KiB.
    expect(await send(`https://127.0.0.1:${port}`)).toMatchObject(DELIVERED);
    expect(await send(`https://127.0.0.1:${port}`)).toMatchObject(FAILED);
    expect(requests().accepted).toBe(1);
  });

  it('keeps connecting to an endpoint whose handshake succeeds with few certificates', async () => {
    const { port, requests } = await longChainServer(ORDINARY, respondAndClose);
    const send = trustingSend();
    for (let time = 0; time < 10; time += 1) {
      expect(await send(`https://127.0.0.1:${port}`)).toMatchObject(DELIVERED);
    }
    expect(requests().accepted).toBe(10);
  });

  it('stops connecting for an account that uses a new host each time', async () => {
    const { port, requests } = await longChainServer(COSTLY);
    const { send } = sender({ allowHttp: false });
    for (let host = 1; host <= 30; host += 1) {
      expect(await send(request(`https://127.0.0.${host}:${port}`))).toMatchObject(FAILED);
    }
    // Each handshake costs 36 KiB. The budget of an account is 512 KiB.
    expect(requests().accepted).toBeLessThanOrEqual(16);
    const otherServer = await tlsServer();
    await send(request(`https://127.0.0.1:${otherServer.port}`));
    expect(otherServer.requests().accepted).toBe(0);
    await send(request(`https://127.0.0.1:${otherServer.port}`, 2));
    expect(otherServer.requests().accepted).toBe(1);
  });

  it('starts no handshake on a pending connection once the account exceeds its budget', async () => {
    const { port } = await longChainServer(COSTLY);
    const { url, requests } = await tcpServer((socket) => socket.destroy());
    let resolve = (): void => {};
    const resolved = new Promise<void>((settle) => {
      resolve = settle;
    });
    const send = trustingSend({
      resolveHost: async (hostname) => {
        if (hostname === 'slow.test') await resolved;
        return [{ address: '127.0.0.1', family: 4 }];
      },
    });
    const slowAttempt = send(`https://slow.test:${new URL(url).port}/`);
    for (let i = 0; i < 16; i += 1) await send(`https://r${i}.test:${port}/`);
    resolve();
    expect(await slowAttempt).toMatchObject(FAILED);
    expect(requests()).toBe(0);
  });

  it('stops connecting to an endpoint that floods with endless headers', async () => {
    const { url, connections } = await tcpServer((socket) => {
      const flood = (): void => {
        while (!socket.destroyed && socket.write('x: y\r\n'.repeat(4_096)));
      };
      socket.write('HTTP/1.1 200 OK\r\n');
      socket.on('drain', flood);
      flood();
    });
    const { send } = sender();
    for (let time = 0; time < 5; time += 1) {
      const result = await send(request(url));
      expect(result).toMatchObject({ status: null, error: 'invalid_answer' });
    }
    expect(connections()).toBeLessThanOrEqual(2);
  });
});
