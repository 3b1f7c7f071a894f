import { describe, expect, it } from 'vitest';
import { request, sender, tcpServer } from './receivers.test.support.ts';
import { busyServer, takeItAndClose, tlsServer, trusting } from './tls-receivers.test.support.ts';

const FAILED = { status: null, error: 'tls_failed' };

describe('guardedConnector to receivers whose handshakes are costly', () => {
  it('stops connecting to an endpoint whose handshake fails and keeps the process busy', async () => {
    const { port, requests } = await busyServer();
    const { send } = sender({ allowHttp: false });
    const sends = [1, 2, 3].map(() => send(request(`https://localhost:${port}`)));
    for (const result of await Promise.all(sends)) expect(result).toMatchObject(FAILED);
    const { accepted } = requests();
    expect(await send(request(`https://localhost:${port}`, 2))).toMatchObject(FAILED);
    expect(requests().accepted).toBe(accepted);
    // Other endpoints, though it is the same machine.
    await send(request(`https://127.0.0.1:${port}`, 2));
    expect(requests().accepted).toBe(accepted + 1);
  });

  it('leaves an account that was charged for a handshake its other receivers', async () => {
    const clock = { busy: 0, nowMs: () => 5_000, busyMs: () => clock.busy };
    const costly = await busyServer(6, takeItAndClose, () => {
      clock.busy += 10;
    });
    const send = trusting({ handshakeClock: clock });
    // The certificate is for the address, not for this name.
    const url = `https://localhost:${costly.port}`;
    expect([await send(url), await send(url)]).toMatchObject([FAILED, FAILED]);
    expect(costly.requests().accepted).toBe(1);
    // All that there is to charge, of which 250 ms are free.
    expect(clock.busy).toBeLessThan(250);
    const other = await tlsServer();
    expect(await send(`https://127.0.0.1:${other.port}`)).toMatchObject({ status: 204 });
  });

  it('stops connecting to an endpoint whose handshake succeeds, but has needless certificates in it', async () => {
    const { port, requests } = await busyServer(60, takeItAndClose);
    const send = trusting();
    expect(await send(`https://127.0.0.1:${port}`)).toMatchObject({ status: 204 });
    expect(await send(`https://127.0.0.1:${port}`)).toMatchObject(FAILED);
    expect(requests().accepted).toBe(1);
  });

  it('goes on with one that succeeds, however busy the process is meanwhile', async () => {
    const { port, requests } = await busyServer(6, takeItAndClose);
    const send = trusting();
    for (let time = 0; time < 2; time++) {
      expect(await send(`https://127.0.0.1:${port}`)).toMatchObject({ status: 204 });
    }
    expect(requests().accepted).toBe(2);
  });

  it('stops connecting for an account that names a new host each time', async () => {
    const { port, requests } = await busyServer();
    const { send } = sender({ allowHttp: false });
    for (let host = 1; host <= 10; host++) {
      expect(await send(request(`https://127.0.0.${host}:${port}`))).toMatchObject(FAILED);
    }
    // Each takes 120 ms at least.
    expect(requests().accepted).toBeLessThanOrEqual(3);
    const other = await tlsServer();
    await send(request(`https://127.0.0.1:${other.port}`));
    expect(other.requests().accepted).toBe(0);
    await send(request(`https://127.0.0.1:${other.port}`, 2));
    expect(other.requests().accepted).toBe(1);
  });

  it('shakes no hands with those that it was still connecting to', async () => {
    const { port } = await busyServer();
    const { url, requests, connections } = await tcpServer((socket) => socket.destroy());
    let resolve = (): void => {};
    const resolved = new Promise<void>((settle) => {
      resolve = settle;
    });
    const send = trusting({
      resolveHost: async (hostname) => {
        if (hostname === 'slow.test') await resolved;
        return [{ address: '127.0.0.1', family: 4 }];
      },
    });
    const slow = send(`https://slow.test:${new URL(url).port}/`);
    for (const host of ['a', 'b', 'c']) await send(`https://${host}.test:${port}/`);
    resolve();
    expect(await slow).toMatchObject(FAILED);
    await expect.poll(connections).toBe(1);
    expect(requests()).toBe(0);
  });
});
