import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type Auth,
  type AuthOptions,
  ConfigError,
  createAuth,
  NotReadyError,
} from '@latchhook/core';
import { inProcessWorker } from '@latchhook/delivery';
import { writeAuditLog } from './audit-log.ts';
import { demoKeys } from './demo-keys.ts';
import { DEMO_PASSWORD, demoUsers } from './demo-users.ts';
import { openBackend } from './open-backend.ts';
import { readPort } from './read-port.ts';

/** How long requests that are pending at SIGTERM may still take, ms. */
const DRAIN_MS = 5_000;

/** What a starter app is made from. */
export interface DemoApp {
  readonly auth: Auth;
}

/**
 * Runs a starter app by these variables: `PORT` (3000; 0 picks a free one), `HOST` (127.0.0.1), `ISSUER` (the address
 * that it listens on), `LOGIN_THROTTLE=off`, `AUDIT_LOG` (a file to which security events are appended), and where
 * things are kept: `DATA_DIR` (a folder, or `memory`) or `DATABASE_URL`, with or without `REDIS_URL` for logins; or
 * only `REDIS_URL`. Says that it listens once it is ready; if it never will be, says why and ends with 1. Stops cleanly
 * on SIGTERM and SIGINT.
 */
export async function serve(createApp: (app: DemoApp) => RequestListener): Promise<void> {
  const { PORT, HOST = '127.0.0.1', ISSUER, LOGIN_THROTTLE, AUDIT_LOG } = process.env;
  // Read first, since opening the storage may take seconds.
  const reading = readPort(PORT);
  if (reading.outcome === 'rejected') return reject(reading.reason);
  const opening = await openBackend(process.env, reading.port);
  if (opening.outcome === 'rejected') return reject(opening.reason);
  const { place, storage, close } = opening.backend;

  const server = createServer().listen(reading.port, HOST);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const address = `http://${HOST.includes(':') ? `[${HOST}]` : HOST}:${port}`;
  const issuer = ISSUER || address;
  const making = makeAuth({
    issuer,
    users: demoUsers(),
    storage,
    keys: demoKeys(),
    // Browsers keep these cookies over https, and on this machine.
    cookies: /^https:|^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|\/|$)/.test(issuer),
    mfa: { enrolment: true, issuerName: 'Latchhook demo' },
    webhooks: { worker: inProcessWorker(), allowHttp: true, allowPrivateAddresses: true },
    ...(LOGIN_THROTTLE === 'off' ? { throttle: false } : {}),
  });
  if (making.outcome === 'rejected') {
    server.close();
    await close();
    return reject(making.reason);
  }
  const { auth } = making;
  try {
    // By default, the issuer is the address, which is another one for each port.
    await auth.ready({ acceptDifferences: !ISSUER });
  } catch (error) {
    if (!(error instanceof NotReadyError)) throw error;
    reject(error.message);
    // What is down may keep its client busy for ever.
    setTimeout(() => process.exit(), DRAIN_MS).unref();
    server.close();
    await shutDown();
    process.exit();
  }
  if (AUDIT_LOG !== undefined) {
    writeAuditLog(auth.securityEvents, createWriteStream(AUDIT_LOG, { flags: 'a', mode: 0o600 }));
  }
  server.on('request', createApp({ auth }));
  let isEnding = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      // Ctrl-C reaches the whole process group, and the parent may send SIGTERM as well: a different second signal is
      // ignored. The same one again ends the process at once.
      if (isEnding) return;
      isEnding = true;
      server.close(() => void shutDown());
      server.closeIdleConnections();
      setTimeout(() => server.closeAllConnections(), DRAIN_MS).unref();
    });
  }

  console.log(`storage: ${storage.name} (${place})`);
  console.log(
    'this is a demo: its passwords are known, and deliveries may go to http and to private addresses',
  );
  console.log('log in as ada@example.com, alan@example.com or grace@example.com (second factor)');
  console.log(`the password of each: ${DEMO_PASSWORD}; in a browser: ${address}`);
  console.log(`listening on ${address}`);

  /** Lets attempts in flight end first: one that was lost would be sent again by another process, or later. */
  async function shutDown(): Promise<void> {
    await auth.close();
    await close();
  }
}

type AuthMaking =
  | { readonly outcome: 'made'; readonly auth: Auth }
  | { readonly outcome: 'rejected'; readonly reason: string };

/** Of the options only the issuer comes from a setting: whatever else is wrong with them is a bug, and thrown. */
function makeAuth(options: AuthOptions): AuthMaking {
  try {
    return { outcome: 'made', auth: createAuth(options) };
  } catch (error) {
    if (!(error instanceof ConfigError && error.code === 'issuer_invalid')) throw error;
    const reason = `The issuer would be ${JSON.stringify(options.issuer)}. Set ISSUER: ${error.message}.`;
    return { outcome: 'rejected', reason };
  }
}

/** Ends without a stack trace: the settings are wrong, not the app. */
function reject(reason: string): void {
  console.error(reason);
  process.exitCode = 1;
}
