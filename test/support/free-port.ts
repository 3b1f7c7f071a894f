import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** A port of the loopback interface that was free a moment ago: who takes it must be ready to lose the race. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server);
  server.close();
  await once(server, 'close');
  return port;
}

/** @throws Error when the server does not listen on TCP. */
export function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening on TCP');
  return address.port;
}
