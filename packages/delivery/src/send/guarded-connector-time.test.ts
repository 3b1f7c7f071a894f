import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';
import type { Timers } from '@latchhook/core/delivery';
import { expect, it, onTestFinished } from 'vitest';
import { ConnectionUse } from './carrier.ts';
import { guardedConnector } from './guarded-connector.ts';
import { request, sender } from './receivers.test.support.ts';
import type { ResolveHost } from './resolve-host.ts';

const TIMED_OUT = { status: null, error: 'timeout' };

it('a TLS handshake is aborted once its attempt has ended', async () => {
  const { port, left } = await mute();
  const { send } = sender({ timeoutMs: 100 });
  expect(await send(request(`https://127.0.0.1:${port}/`))).toMatchObject(TIMED_OUT);
  await left;
});

it('no connection is made if the name resolves after the attempt has ended', async () => {
  const { port, connections, met } = await mute();
  const names = scriptedNames();
  const { send } = sender({ timeoutMs: 100, resolveHost: names.resolveHost });
  expect(await send(request(`http://a.test:${port}/`))).toMatchObject(TIMED_OUT);
  names.answer();
  // Who speaks now is heard after the one who has connected by now.
  const other = createConnection(port, '127.0.0.1').on('error', () => {});
  onTestFinished(() => void other.destroy());
  other.write('a word');
  await met;
  expect(connections()).toBe(1);
});

it('no connection is made for an attempt that ended before', async () => {
  const { port } = await mute();
  const connect = guardedConnector({ allowPrivateAddresses: true });
  const use = new ConnectionUse(1);
  const reason = new Error('nobody waits');
  use.abandon(reason);
  const target = { hostname: '127.0.0.1', protocol: 'http:', port: String(port), use };
  const outcome = await new Promise((resolve) => connect(target, (...end) => resolve(end)));
  expect(outcome).toEqual([reason, null]);
});

it('one deadline covers TCP, the TLS handshake and the answer', async () => {
  const { port, met, left } = await mute();
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
  const sent = send(request(`https://a.test:${port}/`));
  await expect.poll(names.asked).toBe(true);
  names.answer();
  // By the first word of TLS, TCP has come about.
  await met;
  expect(alarms).toHaveLength(1);
  alarms[0]?.();
  expect(await sent).toMatchObject(TIMED_OUT);
  await left;
});

/** A receiver that takes connections, and says nothing. */
async function mute() {
  let connections = 0;
  let meet = (): void => {};
  let leave = (): void => {};
  const met = new Promise<void>((resolve) => {
    meet = resolve;
  });
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const server = createServer((socket: Socket) => {
    connections += 1;
    socket
      .on('error', () => {})
      .once('data', meet)
      .once('close', leave);
    onTestFinished(() => void socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { port, connections: () => connections, met, left };
}

/** Names that are this machine's, as soon as the test says so. */
function scriptedNames() {
  let answer: ((addresses: LookupAddress[]) => void) | undefined;
  const resolveHost: ResolveHost = () =>
    new Promise((resolve) => {
      answer = resolve;
    });
  return {
    resolveHost,
    asked: () => answer !== undefined,
    answer: () => answer?.([{ address: '127.0.0.1', family: 4 }]),
  };
}
