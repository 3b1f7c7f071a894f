import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { systemTimers } from '@latchhook/core/delivery';
import { onTestFinished } from 'vitest';
import { createConnections } from './connections.ts';
import { guardedConnector } from './guarded-connector.ts';
import { always, emptyRequest, resultOf } from './receivers.test.support.ts';
import type { ResolveHost } from './resolve-host.ts';
import { sendSigned } from './send-signed.ts';

/** No claim is made of how soon something is refused; what nobody answers is not waited for. */
export const [PATIENT_MS, BRIEF_MS] = [60_000, 200];

/** A listener that nothing may ever connect to, closed with the test. */
export async function startCanary() {
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.destroy();
  });
  // All addresses of this machine, IPv6 where there is any.
  server.listen(0);
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { port, connections: () => connections, close: () => void server.close() };
}

/** Sends to a name that `resolveHost` resolves, and says what became of it. */
export async function sendTo(
  url: string,
  resolveHost: ResolveHost,
  timeoutMs: number = PATIENT_MS,
): Promise<string> {
  const connections = createConnections(
    guardedConnector({ allowPrivateAddresses: false, timeoutMs, resolveHost }),
  );
  onTestFinished(() => connections.close());
  const signed = emptyRequest(url);
  const times = { mayBegin: always, timestampMs: 0, timeoutMs, timers: systemTimers };
  return resultOf(await sendSigned(connections, signed, times)).error ?? 'sent';
}
