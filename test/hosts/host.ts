import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Auth } from '@latchhook/core';

/**
 * The state of a body when Latchhook's handler runs: `unread`, `parsed` into a value, `raw` bytes or text, or `lost`:
 * consumed and stored nowhere.
 */
export type Reach = 'unread' | 'parsed' | 'raw' | 'lost';

/** The body parser that a host runs before Latchhook's handler, or none. */
export interface Parser<Middleware> {
  readonly name: string;
  readonly reach: Reach;
  readonly middleware: readonly Middleware[];
}

/** One host app of the matrix. */
export interface Host {
  readonly framework: string;
  readonly parser: string;
  readonly reach: Reach;
  /** Where the routes are mounted: `""` is the root. */
  readonly mountPath: string;
  listener(auth: Auth): RequestListener;
}

export const MOUNT_PATHS = ['', '/api/auth'] as const;

export interface RunningHost {
  readonly port: number;
  stop(): void;
}

export async function startHost(host: Host, auth: Auth, at: number = 0): Promise<RunningHost> {
  const server = createServer(host.listener(auth)).listen(at, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { port, stop: () => server.close() };
}

/** Echoes the body that a later route of the host sees: Latchhook must leave it unchanged. */
export async function echo(req: IncomingMessage, parserResult: unknown): Promise<string> {
  const unread = !req.readableDidRead && !req.readableEnded;
  if (unread) return text(req);
  if (parserResult instanceof Uint8Array) return Buffer.from(parserResult).toString();
  return typeof parserResult === 'string' ? parserResult : JSON.stringify(parserResult);
}

/** Reads a body to its end, like middleware that logs or verifies it. */
export async function drain(req: IncomingMessage): Promise<Buffer> {
  return Buffer.from(await text(req));
}
