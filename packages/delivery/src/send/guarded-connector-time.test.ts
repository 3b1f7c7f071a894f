import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';
import type { Timers } from '@latchhook/core/delivery';
import { expect, it, onTestFinished } from 'vitest';
import { guardedConnector } from './guarded-connector.ts';
import { request, sender } from './receivers.test.support.ts';
import { RequestConnection } from './request-connection.ts';
import type { ResolveHost } from './resolve-host.ts';

const TIMED_OUT = { status: null, error: 'timeout' };

it('a TLS handshake is aborted once its attempt has ended', async () => {
  const { port, closed } = await silentServer();
  const { send } = sender({ timeoutMs: 100 });
  expect(await send(request(`https://127.0.0.1:${port}/`))).toMatchObject(TIMED_OUT);
  await closed;
});

it('no connection is made if the name resolves after the attempt has ended', async () => {
  const { port, connections, dataReceived } = await silentServer();
  const names = scriptedNames();
  const { send } = sender({ timeoutMs: 100, resolveHost: names.resolveHost });
  expect(await send(request(`http://a.test:${port}/`))).toMatchObject(TIMED_OUT);
  names.answer();
  // If the attempt had connected, the server would count its connection before the data of this one arrives.
  const testConnection = createConnection(port, '127.0.0.1').on('error', () => {});
  onTestFinished(() => void testConnection.destroy());
  testConnection.write('data');
  await dataReceived;
  expect(connections()).toBe(1);
});

it('no connection is made for an attempt that has ended', async () => {
  const { port } = await silentServer();
  const connect = guardedConnector({ allowPrivateAddresses: true });
  const connection = new RequestConnection(1);
  const reason = new Error('nobody waits');
  connection.abandon(reason);
  const target = { hostname: '127.0.0.1', protocol: 'http:', port: String(port), connection };
  const outcome = await new Promise((resolve) => connect(target, (...end) => resolve(end)));
  expect(outcome).toEqual([reason, null]);
});

it('one deadline covers TCP, the TLS handshake and the response', async () => {
  const { port, dataReceived, closed } = await silentServer();
  const names = scriptedNames();
  const alarms: (() => void)[] = [];
  const timers: Timers = {
    after(ms, callback) {
      expect(ms).toBe(60_000);
      alarms.push(callback);
      return () => {};
    },
  };
  const { send } = sender({ timeoutMs: 60_000, timers, resolveHost: names.resolveHost });
  const outcome = send(request(`https://a.test:${port}/`));
  await expect.poll(names.isQueried).toBe(true);
  names.answer();
  // The ClientHello has arrived, so TCP is connected.
  await dataReceived;
  expect(alarms).toHaveLength(1);
  alarms[0]?.();
  expect(await outcome).toMatchObject(TIMED_OUT);
  await closed;
});

/** Starts a receiver that accepts connections, and never responds. */
async function silentServer() {
  let connections = 0;
  let onData = (): void => {};
  let onClose = (): void => {};
  const dataReceived = new Promise<void>((resolve) => {
    onData = resolve;
  });
  const closed = new Promise<void>((resolve) => {
    onClose = resolve;
  });
  const server = createServer((socket: Socket) => {
    connections += 1;
    socket
      .on('error', () => {})
      .once('data', onData)
      .once('close', onClose);
    onTestFinished(() => void socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { port, connections: () => connections, dataReceived, closed };
}

/** Creates a resolver of names to this machine, which responds when the test calls `answer`. */
function scriptedNames() {
  let answer: ((addresses: LookupAddress[]) => void) | undefined;
  const resolveHost: ResolveHost = () =>
    new Promise((resolve) => {
      answer = resolve;
    });
  return {
    resolveHost,
    isQueried: () => answer !== undefined,
    answer: () => answer?.([{ address: '127.0.0.1', family: 4 }]),
  };
}
