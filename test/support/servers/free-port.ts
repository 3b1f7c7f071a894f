import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/**
 * Below the ports that systems assign to outgoing connections (from 32,768 on Linux) and to servers that listen on port
 * 0. So a server that stops for a while finds its port free again.
 */
const FIRST_PORT = 10_000;
const PORTS = 10_000;

/** The offset of the last returned port. Each process begins at another, and returns all ports in turn. */
let lastOffset = (process.pid * 127) % PORTS;

/** A port of the loopback interface that is free now, but that another process may take first. */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < PORTS; tried += 1) {
    lastOffset = (lastOffset + 1) % PORTS;
    const port = FIRST_PORT + lastOffset;
    if (await isFree(port)) return port;
  }
  throw new Error('every port is taken');
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await listenAt(server, port);
  } catch (error) {
    if (isTaken(error)) return false;
    throw error;
  }
  server.close();
  await once(server, 'close');
  return true;
}

/** Listens on a port that stays free for this server if it closes for a while. */
export async function listenOnFreePort(server: Server): Promise<number> {
  for (;;) {
    const port = await freePort();
    try {
      await listenAt(server, port);
      return port;
    } catch (error) {
      if (!isTaken(error)) throw error;
    }
  }
}

async function listenAt(server: Server, port: number): Promise<void> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}

/** @throws {Error} if the server does not listen on TCP. */
export function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening on TCP');
  return address.port;
}
