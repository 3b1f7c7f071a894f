import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { bodyParser } from '@koa/bodyparser';
import { expressWebhook, koaWebhook, signWebhook } from '@latchhook/receiver';
import express from 'express';
import express4 from 'express4';
import Koa from 'koa';
import koaBodyparser from 'koa-bodyparser';
import Koa2 from 'koa2';
import { describe, expect, it, onTestFinished } from 'vitest';

const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;

/** Apps with a parser before the webhook: it reads empty bodies to their end, too. */
const apps: readonly (readonly [name: string, make: () => RequestListener])[] = [
  ['Express 4 and its parser', () => behindJson(express4)],
  ['Express 5 and its parser', () => behindJson(express)],
  ['Koa 2 and koa-bodyparser', () => new Koa2().use(koaBodyparser()).use(hook()).callback()],
  ['Koa 3 and @koa/bodyparser', () => new Koa().use(bodyParser()).use(hook()).callback()],
];

function behindJson(create: typeof express): RequestListener {
  return create().use(create.json(), expressWebhook({ secret }));
}

function hook(): Koa.Middleware {
  return koaWebhook({ secret });
}

/** The answer to a request whose body is framed by hand: `fetch` would not send an empty chunked body. */
async function post(app: RequestListener, framing: string): Promise<string> {
  const server = createServer(app).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  const signature = Object.entries(signWebhook({ secret, id: 'msg_1', body: '' }));
  const headers = [
    'Host: a',
    'Connection: close',
    'Content-Type: application/json',
    ...signature.map(([name, value]) => `${name}: ${value}`),
  ];
  socket.write(`POST / HTTP/1.1\r\n${headers.join('\r\n')}\r\n${framing}`);
  return text(socket);
}

describe.each(apps)('a webhook receiver behind %s', (_, make) => {
  it.each([
    ['with Content-Length 0', 'Content-Length: 0\r\n\r\n'],
    ['in chunked encoding', 'Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
  ])('rejects an empty body %s as malformed', async (_what, framing) => {
    const response = await post(make(), framing);
    expect(response).toMatch(/^HTTP\/1\.1 400 /);
    expect(response).toContain('{"error":"body_malformed"}');
  });
});
