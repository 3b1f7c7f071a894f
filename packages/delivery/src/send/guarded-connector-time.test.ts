import type { LookupAddress } from 'node:dns';
import { getEventListeners, once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';
import { systemTimers } from '@latchhook/core/delivery';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createConnections } from './connections.ts';
import { atEndOfTurn } from './end-of-turn.ts';
import { type ConnectorOptions, guardedConnector } from './guarded-connector.ts';
import { always, emptyRequest, resultOf } from './receivers.test.support.ts';
import type { ResolveHost } from './resolve-host.ts';
import { SendFault } from './send-fault.ts';
import { sendSigned } from './send-signed.ts';

/** An attempt may take so long here; the connector may take as long as nothing does. */
const [BRIEF_MS, PATIENT_MS] = [100, 60_000];

it('ends a handshake that nobody waits for any more, though it could take longer', async () => {
  const { port, left } = await mute();
  const { send } = senderOf({ timeoutMs: PATIENT_MS });
  expect(await send(`https://127.0.0.1:${port}/`)).toBe('timeout');
  await left;
});

it('connects to nobody for whom the name server answers when nobody waits any more', async () => {
  const { port, connections, met } = await mute();
  const names = scriptedNames();
  const { send } = senderOf({ timeoutMs: PATIENT_MS, resolveHost: names.resolveHost });
  expect(await send(`http://a.test:${port}/`)).toBe('timeout');
  names.answer();
  // Who speaks now is heard after whoever has connected by now.
  const other = createConnection(port, '127.0.0.1').on('error', () => {});
  onTestFinished(() => void other.destroy());
  other.write('a word');
  await met;
  expect(connections()).toBe(1);
});

it('keeps nothing of a connection that is closed, though whoever wanted it may want others', async () => {
  const { port } = await mute();
  const { signal } = new AbortController();
  for (let count = 1; count <= 3; count++) {
    const socket = await connect('http:', port, ownAddress, signal);
    expect(getEventListeners(signal, 'abort')).not.toEqual([]);
    const closed = once(socket, 'close');
    socket.destroy();
    await closed;
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  }
});

it('makes no connection that nobody wants any more', async () => {
  const { port } = await mute();
  const unwanted = new AbortController();
  unwanted.abort();
  const connected = connect('http:', port, ownAddress, unwanted.signal);
  await expect(connected).rejects.toBe(unwanted.signal.reason);
  await expect.poll(() => getEventListeners(unwanted.signal, 'abort')).toEqual([]);
});

describe('the time of a connection', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    return () => void vi.useRealTimers();
  });

  it('is one for TCP and the handshake of TLS together', async () => {
    const { port, met, left } = await mute();
    const names = scriptedNames();
    const connected = connect('https:', port, names.resolveHost);
    vi.advanceTimersByTime(PATIENT_MS - 1);
    names.answer();
    // By the first word of TLS, TCP has come about.
    await met;
    vi.advanceTimersByTime(1);
    await expect(connected).rejects.toEqual(new SendFault('timeout'));
    await left;
  });

  it('is over once it has come about', async () => {
    const { port } = await mute();
    const names = scriptedNames();
    const connected = connect('http:', port, names.resolveHost);
    names.answer();
    const socket = await connected;
    onTestFinished(() => void socket.destroy());
    vi.advanceTimersByTime(PATIENT_MS);
    await new Promise<void>(atEndOfTurn);
    expect(socket.destroyed).toBe(false);
  });
});

const ownAddress: ResolveHost = async () => [{ address: '127.0.0.1', family: 4 }];

function connect(
  protocol: string,
  port: number,
  resolveHost: ResolveHost,
  signal = new AbortController().signal,
): Promise<Socket> {
  const options = { allowPrivateAddresses: true, timeoutMs: PATIENT_MS, resolveHost };
  const target = { hostname: 'a.test', protocol, port: String(port) };
  return new Promise((resolve, reject) => {
    guardedConnector(options)(
      target,
      (error, socket) => (error === null ? resolve(socket) : reject(error)),
      { accountId: 1, signal },
    );
  });
}

function senderOf(options: Omit<ConnectorOptions, 'allowPrivateAddresses'>) {
  const connections = createConnections(
    guardedConnector({ allowPrivateAddresses: true, ...options }),
  );
  onTestFinished(() => connections.close());
  const times = { mayBegin: always, timestampMs: 0, timeoutMs: BRIEF_MS, timers: systemTimers };
  return {
    async send(url: string): Promise<string> {
      const signed = emptyRequest(url);
      return resultOf(await sendSigned(connections, signed, times)).error ?? 'sent';
    },
  };
}

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
  const server = createServer((socket) => {
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
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    met,
    left,
  };
}

/** Names that are this machine's, as soon as the test says so. */
function scriptedNames(): { resolveHost: ResolveHost; answer(): void } {
  let answer = (_addresses: LookupAddress[]): void => {};
  return {
    resolveHost: () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
    answer: () => answer([{ address: '127.0.0.1', family: 4 }]),
  };
}
