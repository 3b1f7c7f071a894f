import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { onTestFinished } from 'vitest';
import { request, resultOf, sender } from './receivers.test.support.ts';
import type { ResolveHost } from './resolve-host.ts';

/** No claim is made of how soon something is rejected; what nobody answers is not waited for. */
const PATIENT_MS = 60_000;
export const BRIEF_MS = 200;

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
  const { send } = sender({ allowPrivateAddresses: false, timeoutMs, resolveHost });
  return resultOf(await send(request(url))).error ?? 'sent';
}
