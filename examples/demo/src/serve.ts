import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type Auth,
  type AuthOptions,
  ConfigError,
  createAuth,
  NotReadyError,
} from '@latchhook/core';
import { inProcessWorker } from '@latchhook/delivery';
import { appAddresses } from './app-addresses.ts';
import { writeAuditLog } from './audit-log.ts';
import { demoKeys } from './demo-keys.ts';
import { DEMO_PASSWORD, demoUsers } from './demo-users.ts';
import { openBackend } from './open-backend.ts';
import { readPort } from './read-port.ts';

/** How long pending requests may take after SIGTERM, ms. */
const DRAIN_MS = 5_000;

/** How long the client of the storage may take to close, ms. If the database does not reply, it may never close. */
const CLOSE_MS = 1_000;

/** The argument of a starter's `createApp`. */
export interface DemoApp {
  readonly auth: Auth;
}

/**
 * Runs a starter app. Environment variables, with defaults: `PORT` (3000; 0 for any free port), `HOST` (127.0.0.1),
 * `ISSUER` (the address that the app listens on, or localhost if it listens on all), `LOGIN_THROTTLE=off`, and
 * `AUDIT_LOG` (a file to which security events are appended). The storage: `DATA_DIR` (a folder) or `DATABASE_URL`,
 * with or without `REDIS_URL` for logins; only `REDIS_URL`; or, without these, memory.
 *
 * Prints that the app listens once it is ready; if it cannot start, prints why and exits with 1. Stops cleanly on
 * SIGTERM and SIGINT.
 *
 * @param open - opens another storage than that of the variables
 */
export async function serve(
  createApp: (app: DemoApp) => RequestListener,
  open: typeof openBackend = openBackend,
): Promise<void> {
  const { PORT, HOST, ISSUER, LOGIN_THROTTLE, AUDIT_LOG } = process.env;
  // `||`, because with an empty HOST the app would listen on all addresses.
  const host = HOST || '127.0.0.1';
  // Checked first because opening the storage may take seconds.
  const portReading = readPort(PORT);
  if (portReading.outcome === 'rejected') return reportError(portReading.reason);
  const opening = await open(process.env);
  if (opening.outcome === 'rejected') return reportError(opening.reason);
  const { location, storage, close } = opening.backend;

  const server = createServer(respondNotReady).listen(portReading.port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    await close();
    return reportError(`The app cannot listen on HOST ${host}, PORT ${portReading.port}: ${error}`);
  }
  const { port } = server.address() as AddressInfo;
  const { listening, browser } = appAddresses(host, port);
  const issuer = ISSUER || browser;
  const creation = tryCreateAuth({
    issuer,
    users: demoUsers(),
    storage,
    keys: demoKeys(),
    // Browsers accept `Secure` cookies only over https, and from this machine.
    cookies: /^https:|^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|\/|$)/.test(issuer),
    mfa: { enrolment: true, issuerName: 'Latchhook demo' },
    webhooks: { worker: inProcessWorker(), allowHttp: true, allowPrivateAddresses: true },
    ...(LOGIN_THROTTLE === 'off' ? { throttle: false } : {}),
  });
  if (creation.outcome === 'rejected') {
    server.close();
    await close();
    return reportError(creation.reason);
  }
  const { auth } = creation;
  try {
    // By default the issuer contains the port, so it may differ from the issuer of the stored data.
    await auth.ready({ acceptDifferences: !ISSUER });
  } catch (error) {
    if (!(error instanceof NotReadyError)) throw error;
    reportError(error.message);
    server.close();
    await shutDown();
    process.exit();
  }
  if (AUDIT_LOG) {
    writeAuditLog(auth.securityEvents, createWriteStream(AUDIT_LOG, { flags: 'a', mode: 0o600 }));
  }
  server.off('request', respondNotReady).on('request', createApp({ auth }));
  onEndSignal(() => {
    server.close(() => void shutDown());
    server.closeIdleConnections();
    // Otherwise a client that keeps sending keeps its connection, which is finally cut in the middle of a request.
    server.prependListener('request', (_req, res) => res.setHeader('connection', 'close'));
    setTimeout(() => server.closeAllConnections(), DRAIN_MS).unref();
  });
  printStart({ storage: `${storage.name} (${location})`, listening, browser });

  /** Waits for deliveries in flight because interrupted deliveries would be sent again. */
  async function shutDown(): Promise<void> {
    await auth.close();
    setTimeout(() => process.exit(), CLOSE_MS).unref();
    await close();
  }
}

/**
 * Calls `end` once, at the first SIGTERM or SIGINT. Ctrl-C sends SIGINT to the whole process group, and the parent may
 * send SIGTERM too: the second of two different signals is ignored. The same signal again ends the process immediately
 * because its listener is removed.
 */
function onEndSignal(end: () => void): void {
  let isEnding = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      if (!isEnding) end();
      isEnding = true;
    });
  }
}

function printStart(app: { storage: string; listening: string; browser: string }): void {
  console.log(`storage: ${app.storage}`);
  console.log(
    'this is a demo: its passwords are known, and deliveries may go to http and to private addresses',
  );
  console.log('log in as ada@example.com, alan@example.com or grace@example.com (second factor)');
  console.log(`the password of each: ${DEMO_PASSWORD}; in a browser: ${app.browser}`);
  console.log(`listening on ${app.listening}`);
}

type AuthCreation =
  | { readonly outcome: 'created'; readonly auth: Auth }
  | { readonly outcome: 'rejected'; readonly reason: string };

/** Only the issuer comes from an environment variable. Any other invalid option is a bug, and its error is thrown. */
function tryCreateAuth(options: AuthOptions): AuthCreation {
  try {
    return { outcome: 'created', auth: createAuth(options) };
  } catch (error) {
    if (!(error instanceof ConfigError && error.code === 'issuer_invalid')) throw error;
    const reason = `The issuer would be ${JSON.stringify(options.issuer)}. Set ISSUER: ${error.message}.`;
    return { outcome: 'rejected', reason };
  }
}

/** Before the app is ready. Without a listener, Node.js would never answer. */
function respondNotReady(_req: unknown, res: ServerResponse): void {
  res.writeHead(503, { 'content-type': 'application/json', 'retry-after': '1' });
  res.end('{"error":"temporarily_unavailable","error_description":"The app is starting."}');
}

/** Prints no stack trace because the settings are wrong, not the app. */
function reportError(reason: string): void {
  console.error(reason);
  process.exitCode = 1;
}
