import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import type { RequestBody } from './messages.ts';
import { readNodeBody } from './read-node-request.ts';

/** Handles the request before `readNodeBody` is called; returns the `req.body` that the host leaves. */
export type Host = (req: IncomingMessage) => unknown;

interface RunningHost {
  readonly port: number;
  /** The results of `readNodeBody`, in the order of the requests. */
  readonly bodies: Promise<RequestBody>[];
  /** Resolves once `readNodeBody` was called for the first request. */
  readonly begun: Promise<void>;
}

/** Starts a server that responds to each request with the kind of its body. */
export async function serve(host: Host = () => undefined): Promise<RunningHost> {
  const bodies: Promise<RequestBody>[] = [];
  let begin = (): void => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const server = createServer((req, res) => {
    const respond = async (hostBody: unknown): Promise<void> => {
      const body = readNodeBody(req, hostBody);
      bodies.push(body);
      begin();
      res.end((await body).kind);
    };
    const hostBody = host(req);
    if (hostBody instanceof Promise) void hostBody.then(respond);
    else void respond(hostBody);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, bodies, begun };
}

export async function post(
  { port, bodies }: RunningHost,
  body: string | ReadableStream | null,
): Promise<RequestBody | undefined> {
  const response = await fetch(`http://127.0.0.1:${port}/`, {
    method: 'POST',
    body,
    duplex: 'half',
  });
  const receivedBody = await bodies.at(-1);
  expect(await response.text()).toBe(receivedBody?.kind);
  return receivedBody;
}

/** Opens a connection, writes raw bytes, and keeps the connection open. */
export function writeRaw({ port }: RunningHost, bytes: string): Socket {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {});
  socket.write(bytes);
  return socket;
}

export function chunked(...chunks: readonly string[]): ReadableStream {
  return ReadableStream.from(chunks.map((chunk) => new TextEncoder().encode(chunk)));
}

export function textOf(body: RequestBody | undefined): string {
  if (body?.kind !== 'raw') throw new Error(`not raw: ${JSON.stringify(body)}`);
  return Buffer.from(body.bytes).toString();
}
