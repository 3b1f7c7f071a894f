import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { type Client, type ClientOptions, createClient, memoryStorage } from '@latchhook/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { TestApp } from '../support/apps/test-app.ts';
import { TEST_PASSWORD } from '../support/clients/users.ts';
import { portOf } from '../support/servers/free-port.ts';
import { ADA, EXPIRED_MS, refreshesOf, startClientApp } from '../support/tabs/client-app.ts';

const WEBHOOK = { event: 'Contact.Tagged', url: 'https://example.com/hook' };
const JSON_BODY = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(WEBHOOK),
};

/** A client whose access token has expired on the server. */
async function expired(options: Partial<ClientOptions> = {}) {
  const app = await startClientApp({ auth: { webhooks: { worker: false } } });
  const client = createClient({ baseUrl: app.url, ...options });
  await client.login(ADA);
  app.clock.advance(EXPIRED_MS);
  return { app, client };
}

describe('a request whose access token is rejected with 401', () => {
  const bodies: Record<string, (client: Client, app: TestApp) => Promise<Response>> = {
    'a text': (client) => client.fetch('/webhooks', JSON_BODY),
    'a blob': (client) =>
      client.fetch('/webhooks', { ...JSON_BODY, body: new Blob([JSON_BODY.body]) }),
    'that of a Request': (client, app) =>
      client.fetch(new Request(`${app.url}/webhooks`, JSON_BODY)),
    empty: (client, app) => client.fetch(new URL(`${app.url}/webhooks`)),
  };
  it.each(Object.keys(bodies))('is retried if its body is %s', async (name) => {
    const { app, client } = await expired();
    const response = await bodies[name]?.(client, app);
    expect(response?.ok).toBe(true);
    expect(refreshesOf(app)).toEqual({ rotations: 1, requests: 1 });
  });

  it('is not retried with a stream body, but the next request succeeds', async () => {
    const { app, client } = await expired();
    const send = () => {
      const body = new Blob([JSON_BODY.body]).stream();
      return client.fetch('/webhooks', { ...JSON_BODY, body, duplex: 'half' } as RequestInit);
    };
    const rejected = await send();
    expect(rejected.status).toBe(401);
    expect(await rejected.json()).toMatchObject({ error: 'invalid_token' });
    expect((await send()).status).toBe(201);
    expect(refreshesOf(app).requests).toBe(1);
  });

  it('is not retried if another user has logged in before the response', async () => {
    let switchUser = async (): Promise<unknown> => undefined;
    const { app, client } = await expired({
      async fetch(input, init) {
        const response = await fetch(input, init);
        if (response.status === 401) await switchUser();
        return response;
      },
    });
    switchUser = () => client.login({ username: 'alan@example.com', password: TEST_PASSWORD });
    expect((await client.fetch('/me')).status).toBe(401);
    expect(await (await client.fetch('/me')).json()).toMatchObject({ userId: 'alan' });
    expect(refreshesOf(app).requests).toBe(0);
  });

  it('is retried because of the error in its body if the WWW-Authenticate header is hidden', async () => {
    const { client } = await expired({
      async fetch(input, init) {
        const response = await fetch(input, init);
        const headers = new Headers(response.headers);
        headers.delete('www-authenticate');
        return new Response(response.body, { status: response.status, headers });
      },
    });
    expect((await client.fetch('/me')).status).toBe(200);
  });

  it('resolves to the 401 response if the session has ended', async () => {
    const { app, client } = await expired();
    await app.auth.sessions.revokeAll('ada');
    const response = await client.fetch('/me');
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ error: 'invalid_token' });
    expect(client.session()).toBeNull();
  });

  it('rejects with server_error and keeps the session if the refresh responds with 503', async () => {
    let down = false;
    const { client } = await expired({
      async fetch(input, init) {
        if (down && String(input).endsWith('/token')) {
          return new Response('<html>', { status: 503, headers: { 'retry-after': '30' } });
        }
        return fetch(input, init);
      },
    });
    down = true;
    await expect(client.fetch('/me')).rejects.toMatchObject({
      code: 'server_error',
      status: 503,
      retryAfterSeconds: 30,
    });
    expect(client.session()?.userId).toBe('ada');
  });
});

it("each request of a client has its own Headers, to which the app's fetch may append", async () => {
  const sent: Headers[] = [];
  const { client } = await expired({
    fetch(input, init) {
      const headers = init?.headers as Headers;
      headers.append('x-request', String(sent.length));
      sent.push(headers);
      return fetch(input, init);
    },
  });
  await client.fetch('/me');
  // The login, a request that is answered 401, the refresh and the second attempt.
  expect(sent.map((headers) => headers.get('x-request'))).toEqual(['0', '1', '2', '3']);
});

describe('client.fetch()', () => {
  it('accepts a Request instead of a URL and options', async () => {
    const { app, client } = await expired();
    const response = await client.fetch('/webhooks', new Request(`${app.url}/x`, JSON_BODY));
    expect(response.status).toBe(201);
  });

  it('stops waiting for a refresh when its signal aborts, while the refresh continues', async () => {
    let answer = (): void => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    let isHeld = false;
    const { app, client } = await expired({
      async fetch(input, init) {
        const response = await fetch(input, init);
        if (isHeld && String(input).endsWith('/token')) await answered;
        return response;
      },
    });
    isHeld = true;
    const controller = new AbortController();
    const pendingRequest = client.fetch('/me', { signal: controller.signal });
    await expect.poll(() => refreshesOf(app).requests).toBe(1);
    controller.abort();
    await expect(pendingRequest).rejects.toMatchObject({ name: 'AbortError' });
    answer();
    expect((await client.fetch('/me')).status).toBe(200);
    expect(refreshesOf(app).requests).toBe(1);
  });

  it('rejects with AbortError if its signal was aborted before', async () => {
    const { client } = await expired();
    const request = client.fetch('/me', { signal: AbortSignal.abort() });
    await expect(request).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('rejects with login_changed if another user logged in before the request was sent', async () => {
    const app = await startClientApp();
    const loginOf = async (username: string) => {
      const storage = memoryStorage();
      const client = createClient({ baseUrl: app.url, storage });
      await client.login({ username, password: TEST_PASSWORD });
      return String(storage.get());
    };
    const storage = memoryStorage();
    const ada = JSON.parse(await loginOf('ada@example.com'));
    // Received in 1970, its access token counts as expired: the request refreshes first, and finds the other login.
    await storage.set(JSON.stringify({ ...ada, receivedAtMs: 0 }));
    const client = createClient({ baseUrl: app.url, storage });
    // Another tab stores this login.
    await storage.set(await loginOf('alan@example.com'));
    await expect(client.fetch('/me')).rejects.toMatchObject({ code: 'login_changed' });
    expect(await (await client.fetch('/me')).json()).toMatchObject({ userId: 'alan' });
  });
});

interface Arrived {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Starts a second server that records its requests, and redirects them if `location` is set. */
async function startOther(location?: string): Promise<{ url: string; arrived: Arrived[] }> {
  const arrived: Arrived[] = [];
  const server = createServer(async (req, res) => {
    arrived.push({ headers: req.headers, body: await text(req) });
    if (location !== undefined) res.writeHead(307, { location });
    res.end('other');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${portOf(server)}`, arrived };
}

describe('the Authorization header', () => {
  it('goes to the origin of the base URL and to allowedOrigins only', async () => {
    const app = await startClientApp();
    const [other, friend] = [await startOther(), await startOther()];
    const client = createClient({ baseUrl: app.url, allowedOrigins: [`${friend.url}/path`] });
    await client.login(ADA);
    await client.fetch(`${other.url}/me`);
    await client.fetch(new Request(other.url));
    await client.fetch(`${friend.url}/me`);
    expect(other.arrived.map(({ headers }) => headers.authorization)).toEqual([
      undefined,
      undefined,
    ]);
    expect(friend.arrived[0]?.headers.authorization).toMatch(/^Bearer e/);
  });

  it('is not forwarded if the base URL redirects to another origin', async () => {
    const app = await startClientApp();
    const other = await startOther();
    const base = await startOther(other.url);
    const client = createClient({
      baseUrl: base.url,
      fetch: (input, init) =>
        String(input).endsWith('/token') ? fetch(`${app.url}/token`, init) : fetch(input, init),
    });
    await client.login(ADA);
    expect(await (await client.fetch('/me')).text()).toBe('other');
    expect(base.arrived[0]?.headers.authorization).toMatch(/^Bearer e/);
    expect(other.arrived[0]?.headers.authorization).toBeUndefined();
  });

  it('is left unchanged if the caller has set it', async () => {
    const { app, client } = await expired();
    const response = await client.fetch('/me', { headers: { authorization: 'Bearer of-my-own' } });
    expect(response.status).toBe(401);
    expect(refreshesOf(app).requests).toBe(0);
  });
});

it('a client sends no password to a server that the base URL redirects to', async () => {
  const other = await startOther();
  const base = await startOther(other.url);
  const login = createClient({ baseUrl: base.url }).login(ADA);
  await expect(login).rejects.toMatchObject({ code: 'network_error' });
  expect(other.arrived).toEqual([]);
});
