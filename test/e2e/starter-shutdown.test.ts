import { Agent, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { spawnApp } from '../support/apps/spawn-app.ts';
import { STARTERS } from '../support/every-cell.ts';

it.each(STARTERS)(
  '%s lets a busy connection end a request after SIGTERM, and closes it at the next one',
  async (name) => {
    const app = await spawnApp(name);
    onTestFinished(() => app.kill9());
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const url = `${app.url}/token`;
    const head = {
      method: 'POST',
      agent,
      headers: { 'content-length': 2, expect: '100-continue' },
    };

    const pending = request(url, head);
    pending.flushHeaders();
    // From here on the server waits for the body of this request.
    await new Promise((resolve) => pending.on('continue', resolve));
    const stopped = app.stop();
    await expect.poll(() => isListening(app.url), { interval: 10 }).toBe(false);
    pending.end('{}');
    expect(await connectionHeader(pending)).toBe('keep-alive');

    const next = request(url, { method: 'GET', agent }).end();
    expect(await connectionHeader(next)).toBe('close');
    expect(next.reusedSocket).toBe(true);
    await stopped;
  },
);

async function connectionHeader(sent: ReturnType<typeof request>): Promise<string | undefined> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.on('response', resolve).on('error', reject);
  });
  for await (const _ of response);
  return response.headers.connection;
}

function isListening(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    socket
      .on('error', () => resolve(false))
      .on('connect', () => {
        socket.end();
        resolve(true);
      });
  });
}
