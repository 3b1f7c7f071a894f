import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Auth, createAuth } from '@latchhook/core';
import { demoKeys } from './demo-keys.ts';
import { openStorage } from './demo-storage.ts';
import { demoUsers } from './demo-users.ts';

/** How long requests that are under way at SIGTERM may still take, ms. */
const DRAIN_MS = 5_000;

/**
 * Runs a starter app: `PORT` (3000; 0 picks a free one), `HOST` (127.0.0.1), `ISSUER` (the address that it
 * listens on), `REDIS_URL` (absent: memory), `LOGIN_THROTTLE=off`. Stops cleanly on SIGTERM and SIGINT.
 */
export function serve(createApp: (auth: Auth) => RequestListener): void {
  const { PORT = '3000', HOST = '127.0.0.1', ISSUER, REDIS_URL, LOGIN_THROTTLE } = process.env;
  const { storage, close } = openStorage(REDIS_URL);
  const server = createServer();

  server.listen(Number(PORT), HOST, () => {
    const { port } = server.address() as AddressInfo;
    const address = `http://${HOST.includes(':') ? `[${HOST}]` : HOST}:${port}`;
    const auth = createAuth({
      issuer: ISSUER ?? address,
      users: demoUsers(),
      storage,
      keys: demoKeys(),
      ...(LOGIN_THROTTLE === 'off' ? { throttle: false } : {}),
    });
    server.on('request', createApp(auth));
    console.log(`storage: ${storage.name}`);
    console.log(`listening on ${address}`);
  });

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      server.close(() => void close());
      server.closeIdleConnections();
      setTimeout(() => server.closeAllConnections(), DRAIN_MS).unref();
    });
  }
}
