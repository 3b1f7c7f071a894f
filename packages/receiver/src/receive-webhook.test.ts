import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { expressWebhook, type WebhookRequest } from './express-webhook.ts';
import { koaWebhook, type WebhookContext } from './koa-webhook.ts';
import { type ReceiveOptions, receiveWebhook } from './receive-webhook.ts';
import { signWebhook } from './sign-webhook.ts';

const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const BODY = JSON.stringify({
  id: 'msg_1',
  type: 'Contact.Tagged',
  timestamp: '2026-11-20T10:00:00.000Z',
  account_id: 7,
  data: { tags: ['ë'] },
});

/** Older than the default tolerance of 300 s, and within one of 310 s. */
const OLDER_THAN_TOLERANCE_MS = 302_000;

const closeAll: (() => void)[] = [];
afterEach(() => {
  for (const close of closeAll.splice(0)) close();
});

type Handle = (req: IncomingMessage, res: ServerResponse) => unknown;

/** Runs before the middleware, like a body parser or a platform. */
type Before = (req: WebhookRequest) => unknown;

async function listen(handle: Handle): Promise<string> {
  const server = createServer((req, res) => void handle(req, res)).listen(0, '127.0.0.1');
  closeAll.push(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function post(
  url: string,
  { body = BODY, headers = signWebhook({ secret: SECRET, id: 'msg_1', body }) } = {},
) {
  const response = await fetch(url, { method: 'POST', headers, body });
  return [response.status, await response.text()];
}

/** Both hosts respond with 200 and the type of the webhook, or with 500 and the message of a reported error. */
const hosts = {
  express: (options: ReceiveOptions, before: Before): Handle => {
    const webhook = expressWebhook(options);
    return async (req: WebhookRequest, res) => {
      await before(req);
      webhook(req, res, (error) => {
        if (error instanceof Error) res.writeHead(500).end(error.message);
        else res.end(`handled ${req.webhook?.type}`);
      });
    };
  },
  koa: (options: ReceiveOptions, before: Before): Handle => {
    const webhook = koaWebhook(options);
    return async (req: WebhookRequest, res) => {
      await before(req);
      const ctx = {
        req,
        request: { rawBody: req.rawBody, body: req.body },
        state: {},
        status: 404,
        body: undefined,
      } as unknown as WebhookContext;
      try {
        await webhook(ctx, async () => {
          ctx.status = 200;
          ctx.body = `handled ${ctx.state.webhook.type}`;
        });
      } catch (error) {
        ctx.status = 500;
        ctx.body = error instanceof Error ? error.message : error;
      }
      const text = typeof ctx.body === 'object' ? JSON.stringify(ctx.body) : String(ctx.body ?? '');
      res.writeHead(ctx.status).end(text);
    };
  },
};

async function readAll(req: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk);
  return Buffer.concat(chunks);
}

describe.each(Object.entries(hosts))('the middleware for %s', (_, host) => {
  const serve = (options: Partial<ReceiveOptions> = {}, before: Before = () => {}) =>
    listen(host({ secret: SECRET, ...options }, before));

  it('passes a verified webhook on', async () => {
    expect(await post(await serve())).toEqual([200, 'handled Contact.Tagged']);
  });

  it.each([
    [
      'the raw bytes as `body`',
      async (req: WebhookRequest) => Object.assign(req, { body: await readAll(req) }),
    ],
    [
      'the raw text as `body`',
      async (req: WebhookRequest) => Object.assign(req, { body: String(await readAll(req)) }),
    ],
    [
      'the raw bytes as `rawBody`, and a parsed `body`',
      async (req: WebhookRequest) => {
        const rawBody = await readAll(req);
        Object.assign(req, { rawBody, body: JSON.parse(String(rawBody)) });
      },
    ],
    [
      'the raw text in a property of `body`, as koa-body 6 does',
      async (req: WebhookRequest) => {
        const text = String(await readAll(req));
        const body = { ...JSON.parse(text), [Symbol.for('unparsedBody')]: text };
        Object.assign(req, { body });
      },
    ],
    [
      'the stream unread, and an empty object as `body`',
      (req: WebhookRequest) => Object.assign(req, { body: {} }),
    ],
    ['the stream unread and paused', (req: WebhookRequest) => req.pause()],
  ])('passes a verified webhook on after a parser that leaves %s', async (_, before) => {
    expect(await post(await serve({}, before))).toEqual([200, 'handled Contact.Tagged']);
  });

  it('reports an error with advice after a parser that keeps no raw body', async () => {
    const url = await serve({}, async (req) =>
      Object.assign(req, { body: JSON.parse(String(await readAll(req))) }),
    );
    const [status, text] = await post(url);
    expect(status).toBe(500);
    expect(text).toMatch(
      /before the body parser, or .* express\.raw\(\{ type: '\*\/\*', limit: '1mb' \}\)/,
    );
  });

  it('responds with 401 to a signature that does not match', async () => {
    const headers = signWebhook({ secret: SECRET, id: 'msg_1', body: `${BODY} ` });
    expect(await post(await serve(), { headers })).toEqual([401, '{"error":"no_match"}']);
  });

  it('responds with 401 to a request that is older than the tolerance', async () => {
    const url = await serve({ nowMs: () => Date.now() + OLDER_THAN_TOLERANCE_MS });
    expect(await post(url)).toEqual([401, '{"error":"too_old"}']);
    const tolerant = await serve({
      nowMs: () => Date.now() + OLDER_THAN_TOLERANCE_MS,
      toleranceSeconds: 310,
    });
    expect((await post(tolerant))[0]).toBe(200);
  });

  it('responds with 400 to a request without webhook headers or with a malformed body', async () => {
    const response = await fetch(await serve(), { method: 'POST', body: BODY });
    expect(response.status).toBe(400);
    expect(await post(await serve(), { body: '{}' })).toEqual([400, '{"error":"body_malformed"}']);
  });

  it('responds with 413 to a body that is too large, with or without a Content-Length', async () => {
    const url = await serve({ maxBodyBytes: Buffer.byteLength(BODY) });
    expect((await post(url))[0]).toBe(200);
    expect(await post(url, { body: `${BODY} ` })).toEqual([413, '{"error":"body_too_large"}']);
    const chunked = await fetch(url, {
      method: 'POST',
      body: new Blob([`${BODY} `]).stream(),
      duplex: 'half',
    } as RequestInit);
    expect(chunked.status).toBe(413);
    // The limit also holds for a body that a parser has read.
    const parsed = await serve({ maxBodyBytes: 9 }, async (req) =>
      Object.assign(req, { body: await readAll(req) }),
    );
    expect((await post(parsed))[0]).toBe(413);
  });

  it('accepts a body of up to one mebibyte by default', async () => {
    const url = await serve();
    const mebibyte = BODY + ' '.repeat((1 << 20) - Buffer.byteLength(BODY));
    expect(await post(url, { body: mebibyte })).toEqual([200, 'handled Contact.Tagged']);
    expect((await post(url, { body: `${mebibyte} ` }))[0]).toBe(413);
  });

  it('responds with 204 to a duplicate without passing it on', async () => {
    const ids: string[] = [];
    const url = await serve({
      isDuplicate: async (id) => {
        ids.push(id);
        return ids.length > 1;
      },
    });
    expect(await post(url)).toEqual([200, 'handled Contact.Tagged']);
    expect(await post(url)).toEqual([204, '']);
    expect(ids).toEqual(['msg_1', 'msg_1']);
  });

  it('responds with 401 to a duplicate whose signature does not match', async () => {
    const url = await serve({ isDuplicate: () => true });
    expect(
      await post(url, { headers: signWebhook({ secret: SECRET, id: 'x', body: '' }) }),
    ).toEqual([401, '{"error":"no_match"}']);
  });

  it.each([
    ['no options', undefined, /give options: \{ secret \}/],
    ['an empty secret', { secret: '' }, /secret must be whsec_/],
    ['a tolerance that is NaN', { toleranceSeconds: Number.NaN }, /toleranceSec/],
    ['a limit that is text', { maxBodyBytes: '1mb' }, /maxBodyBytes must be a number above 0/],
    [
      'a misspelt option',
      { isDuplicat: () => true },
      /no option "isDuplicat"; there are: secret, /,
    ],
    ['a Set as isDuplicate', { isDuplicate: new Set() }, /isDuplicate must be a function/],
    ['a number as nowMs', { nowMs: 0 }, /nowMs must be a function/],
  ])('throws a TypeError when it is created with %s', (_what, change, message) => {
    const options = change && { secret: SECRET, ...change };
    const mount = () => host(options as unknown as ReceiveOptions, () => {});
    expect(mount).toThrow(TypeError);
    expect(mount).toThrow(message);
  });
});

describe('receiveWebhook', () => {
  it('rejects with an error that names a misspelt option', async () => {
    const misspelt = { secret: SECRET, isDuplicat: () => true };
    await expect(receiveWebhook(Object.create(null), misspelt)).rejects.toThrow(/"isDuplicat"/);
  });

  it('rejects every body if `maxBodyBytes` is NaN', async () => {
    const outcomes: string[] = [];
    const url = await listen(async (req, res) => {
      const bytes = await readAll(req);
      const options = { secret: SECRET, maxBodyBytes: Number(undefined) };
      const { outcome } = await receiveWebhook(req, options, [bytes]);
      outcomes.push(outcome);
      res.end();
    });
    await post(url);
    const streamUrl = await listen(async (req, res) => {
      const { outcome } = await receiveWebhook(req, { secret: SECRET, maxBodyBytes: Number('x') });
      outcomes.push(outcome);
      res.end();
    });
    await post(streamUrl);
    expect(outcomes).toEqual(['rejected', 'rejected']);
  });

  it('resolves to `aborted` if the sender disconnects', async () => {
    const outcome = new Promise((resolve) => {
      void listen(async (req) => resolve(await receiveWebhook(req, { secret: SECRET }))).then(
        (url) => {
          const socket = connect(Number(new URL(url).port), '127.0.0.1');
          socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc', () =>
            setImmediate(() => socket.destroy()),
          );
        },
      );
    });
    expect(await outcome).toEqual({ outcome: 'aborted' });
  });
});
