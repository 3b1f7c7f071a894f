import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { onTestFinished } from 'vitest';
import { request, resultOf, sender } from './receivers.test.support.ts';
import type { ResolveHost } from './resolve-host.ts';

/** Longer than any rejection takes. */
const PATIENT_MS = 60_000;
/** For attempts that connect to an address at which nothing responds. */
export const BRIEF_MS = 200;

/** Starts a server to which no attempt may connect. It is closed at the end of the test. */
export async function startCanary() {
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.destroy();
  });
  // On all addresses of this machine, with IPv6 if the machine has it.
  server.listen(0);
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { port, connections: () => connections, close: () => void server.close() };
}

/** Sends to a name that `resolveHost` resolves. Resolves to the error, or to `sent`. */
export async function sendTo(
  url: string,
  resolveHost: ResolveHost,
  timeoutMs: number = PATIENT_MS,
): Promise<string> {
  const { send } = sender({ allowPrivateAddresses: false, timeoutMs, resolveHost });
  return resultOf(await send(request(url))).error ?? 'sent';
}
