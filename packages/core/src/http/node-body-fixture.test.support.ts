import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import type { RequestBody } from './messages.ts';
import { readNodeBody } from './read-node-body.ts';

/** What a host does with the request before it comes to us; returns what it leaves in `req.body`. */
export type Host = (req: IncomingMessage) => unknown;

interface Running {
  readonly port: number;
  /** What the reader answered, in order of requests. */
  readonly bodies: Promise<RequestBody>[];
  /** Called for each request once the reader has begun. */
  readonly begun: Promise<void>;
}

export async function serve(host: Host = () => undefined): Promise<Running> {
  const bodies: Promise<RequestBody>[] = [];
  let begin = (): void => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const server = createServer((req, res) => {
    const answer = async (hostBody: unknown): Promise<void> => {
      const body = readNodeBody(req, hostBody);
      bodies.push(body);
      begin();
      res.end((await body).kind);
    };
    const hostBody = host(req);
    if (hostBody instanceof Promise) void hostBody.then(answer);
    else void answer(hostBody);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, bodies, begun };
}

export async function post(
  { port, bodies }: Running,
  body: string | ReadableStream | null,
): Promise<RequestBody | undefined> {
  const response = await fetch(`http://127.0.0.1:${port}/`, {
    method: 'POST',
    body,
    duplex: 'half',
  });
  const answer = await bodies.at(-1);
  expect(await response.text()).toBe(answer?.kind);
  return answer;
}

/** Writes raw bytes, and keeps the connection open. */
export function dial({ port }: Running, bytes: string): Socket {
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
