import { ClientError, type ClientOptions, createClient, memoryStorage } from '@latchhook/client';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openBrowser } from '../support/tabs/browser.ts';
import { ADA, EXPIRED_MS, refreshesOf, startClientApp } from '../support/tabs/client-app.ts';

const ALAN = { ...ADA, username: 'alan@example.com' };

/** Tabs of a browser with a client in cookie mode. */
async function fixture({ tabs = 1, ...auth }: { tabs?: number; cookies?: boolean } = {}) {
  const app = await startClientApp({ auth: { cookies: true, ...auth } });
  let network = (input: Parameters<typeof fetch>[0], init?: RequestInit) => fetch(input, init);
  const browser = openBrowser({ locks: true });
  const openTab = (options: Partial<ClientOptions> = {}) =>
    browser.openTab({
      baseUrl: app.url,
      mode: 'cookie',
      fetch: (input, init) => network(input, init),
      ...options,
    }).client;
  return {
    app,
    clients: Array.from({ length: tabs }, () => openTab()),
    openTab,
    sending(by: typeof network) {
      network = by;
    },
  };
}

/** Counts the requests to `/token` from now on, whatever their response. */
function countTokenRequests(
  sending: (by: (input: string | URL | Request, init?: RequestInit) => Promise<Response>) => void,
): () => number {
  let count = 0;
  sending((input, init) => {
    if (new URL(String(input)).pathname === '/token') count += 1;
    return fetch(input, init);
  });
  return () => count;
}

describe('a client in cookie mode', () => {
  it('knows the session, but cannot read a token', async () => {
    const { app, clients, openTab } = await fixture();
    const [client = openTab()] = clients;
    expect(client.session()).toBeUndefined();
    const session = { userId: 'ada', scopes: ['user'], accounts: [1, 2] };
    expect(await client.login(ADA)).toEqual({ outcome: 'success', session });
    expect(await (await client.fetch('/me')).json()).toMatchObject({ userId: 'ada' });
    expect((await client.fetch('/me', { method: 'POST' })).status).toBe(200);
    expect((await client.request('GET /users/self/sessions')).data).toHaveLength(1);
    await expect(client.getAccessToken()).rejects.toThrow('Cookie mode: use client.fetch.');
    expect(openTab().session()).toEqual(session);
    expect(refreshesOf(app).requests).toBe(0);
  });

  it('sends the header Latchhook-Session with POST but not with GET, to which it would add a preflight', async () => {
    const { clients, openTab, sending } = await fixture();
    const [client = openTab()] = clients;
    await client.login(ADA);
    const sent: [method: string, header: string | null][] = [];
    sending((input, init) => {
      const header = new Headers(init?.headers).get('latchhook-session');
      sent.push([init?.method ?? 'GET', header]);
      return fetch(input, init);
    });
    await client.fetch('/me');
    await client.request('GET /users/self/sessions');
    await client.fetch('/me', { method: 'POST' });
    expect(sent).toEqual([
      ['GET', null],
      ['GET', null],
      ['POST', 'cookie'],
    ]);
  });

  it('refreshes once for a hundred requests in five tabs', async () => {
    const { app, clients } = await fixture({ tabs: 5 });
    await clients[0]?.login(ADA);
    await expect.poll(() => clients.map((one) => one.session()?.userId)).not.toContain(undefined);
    app.clock.advance(EXPIRED_MS);
    const requests = clients.flatMap((one) => Array.from({ length: 20 }, () => one.fetch('/me')));
    const statuses = (await Promise.all(requests)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(refreshesOf(app).requests).toBe(1);
  });

  it('sends one refresh for three parallel requests without a session', async () => {
    const { clients, sending } = await fixture();
    const tokenRequests = countTokenRequests(sending);
    const responses = await Promise.all([1, 2, 3].map(() => clients[0]?.fetch('/me')));
    expect(responses.map((response) => response?.status)).toEqual([401, 401, 401]);
    expect(clients[0]?.session()).toBeNull();
    expect(tokenRequests()).toBe(1);
  });

  it('sends no refresh if another tab has stored the session', async () => {
    const { clients, openTab, sending } = await fixture();
    await clients[0]?.login(ADA);
    const tokenRequests = countTokenRequests(sending);
    expect((await openTab().fetch('/me')).status).toBe(200);
    expect(tokenRequests()).toBe(0);
  });

  it('leaves the session undefined while the server is unreachable', async () => {
    const { clients, sending } = await fixture();
    sending(() => Promise.reject(new TypeError('fetch failed')));
    await expect(clients[0]?.fetch('/me')).rejects.toMatchObject({ code: 'network_error' });
    expect(clients[0]?.session()).toBeUndefined();
    sending((input, init) => fetch(input, init));
    expect((await clients[0]?.fetch('/me'))?.status).toBe(401);
    expect(clients[0]?.session()).toBeNull();
  });

  it('logs out in all tabs, and can log out again if the server was unreachable', async () => {
    const { app, clients, sending, openTab } = await fixture({ tabs: 3 });
    await clients[0]?.login(ADA);
    await expect.poll(() => clients.map((one) => one.session()?.userId)).not.toContain(undefined);
    sending(() => Promise.reject(new TypeError('fetch failed')));
    expect(await clients[0]?.logout()).toMatchObject({ outcome: 'not_revoked' });
    await expect.poll(() => clients.map((one) => one.session())).toEqual([null, null, null]);
    sending((input, init) => fetch(input, init));
    expect(await clients[1]?.logout()).toEqual({ outcome: 'success' });
    expect(app.events.at(-1)).toMatchObject({ type: 'session.revoked' });
    const newTab = openTab();
    expect((await newTab.fetch('/me')).status).toBe(401);
    expect(newTab.session()).toBeNull();
  });

  it('ends the session at logout even if the storage has never been readable', async () => {
    const { app, clients, openTab } = await fixture();
    await clients[0]?.login(ADA);
    const locked = { ...memoryStorage(), get: () => Promise.reject(new Error('locked')) };
    expect(await openTab({ storage: locked }).logout()).toEqual({ outcome: 'success' });
    expect(await app.auth.sessions.list('ada')).toEqual([]);
  });

  it('stays logged out if logout() is called during the first check of the session', async () => {
    const { app, openTab, sending } = await fixture();
    // A login of the host's own: there are cookies, but nothing is stored.
    await openTab({ storage: memoryStorage() }).login(ADA);
    const client = openTab();
    const responses: string[] = [];
    let release = (): void => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    sending(async (input, init) => {
      const response = await fetch(input, init);
      responses.push(new URL(String(input)).pathname);
      if (responses.length === 1) await released;
      return response;
    });
    const check = client.fetch('/me');
    await expect.poll(() => responses).toEqual(['/token']);
    const logout = client.logout();
    release();
    expect(await logout).toEqual({ outcome: 'success' });
    await check;
    expect(client.session()).toBeNull();
    expect((await client.fetch('/me')).status).toBe(401);
    expect(refreshesOf(app).requests).toBe(1);
  });

  it('is logged out if the server rejects the first check of the session', async () => {
    vi.stubGlobal('location', { href: 'https://api.example.com/' });
    onTestFinished(() => void vi.unstubAllGlobals());
    const client = createClient({
      baseUrl: 'https://api.example.com',
      mode: 'cookie',
      fetch: async () => Response.json({ error: 'access_denied' }, { status: 403 }),
    });
    expect(client.session()).toBeUndefined();
    await expect.poll(() => client.session()).toBeNull();
  });

  it('does not overwrite the next login with a late refresh response', async () => {
    const { app, clients, sending } = await fixture({ tabs: 2 });
    await clients[0]?.login(ADA);
    await expect.poll(() => clients[1]?.session()?.userId).toBe('ada');
    app.clock.advance(EXPIRED_MS);
    let release = (): void => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const sentRequests: unknown[] = [];
    sending(async (input, init) => {
      const response = await fetch(input, init);
      if (String(input).endsWith('/token')) sentRequests.push(init?.body);
      if (sentRequests.length === 1) await released;
      return response;
    });
    const late = clients[0]?.fetch('/me');
    await expect.poll(() => sentRequests).toHaveLength(1);
    const login = clients[1]?.login(ALAN);
    release();
    await Promise.all([late, login]);
    expect(sentRequests).toHaveLength(2);
    expect(await (await clients[1]?.fetch('/me'))?.json()).toMatchObject({ userId: 'alan' });
    expect(clients[1]?.session()?.userId).toBe('alan');
  });

  it('continues a login that the app stored as tokens before', async () => {
    const { app } = await fixture();
    const storage = memoryStorage();
    await createClient({ baseUrl: app.url, storage }).login(ADA);
    const browser = openBrowser({ locks: true, storage });
    const { client } = browser.openTab({ baseUrl: app.url, mode: 'cookie' });
    expect(client.session()?.userId).toBe('ada');
    expect((await client.fetch('/me')).status).toBe(200);
    expect(refreshesOf(app)).toEqual({ rotations: 1, requests: 1 });
    expect(await storage.get()).not.toMatch(/token/i);
  });

  it('rejects a login to a server that sets no cookies', async () => {
    const { clients } = await fixture({ cookies: false });
    const login = clients[0]?.login(ADA);
    await expect(login).rejects.toBeInstanceOf(ClientError);
    await expect(login).rejects.toMatchObject({
      code: 'invalid_answer',
      message: 'The server sent no cookies.',
    });
  });

  it('sends no request on construction outside a page, as in server-side rendering', async () => {
    const sentRequests: unknown[] = [];
    const client = createClient({
      baseUrl: 'https://api.example.com',
      mode: 'cookie',
      fetch: async (input) => {
        sentRequests.push(input);
        return Response.error();
      },
    });
    await new Promise(setImmediate);
    expect([sentRequests, client.session()]).toEqual([[], undefined]);
  });
});

describe('a client in token mode', () => {
  it('sends no cookies unless the caller asks for them', async () => {
    const { app } = await fixture();
    const cookies: (string | null)[] = [];
    const client = createClient({
      baseUrl: app.url,
      // Browsers send cookies to the origin of the page by default.
      fetch(input, init) {
        const headers = new Headers(init?.headers);
        if (init?.credentials !== 'omit') headers.set('cookie', '__Host-latchhook-access=old');
        cookies.push(headers.get('cookie'));
        return fetch(input, { ...init, headers });
      },
    });
    await client.login(ADA);
    app.clock.advance(EXPIRED_MS);
    expect((await client.request('GET /users/self/sessions')).data).toHaveLength(1);
    expect((await client.fetch('/me')).status).toBe(200);
    expect(await client.logout()).toEqual({ outcome: 'success' });
    expect(refreshesOf(app).requests).toBe(1);
    expect(new Set(cookies)).toEqual(new Set([null]));
    await client.login(ADA);
    await client.fetch('/me', { credentials: 'include' });
    expect(cookies.at(-1)).toBe('__Host-latchhook-access=old');
    const request = new Request(`${app.url}/me`, { credentials: 'include' });
    await client.fetch(request);
    expect(cookies.at(-1)).toBe('__Host-latchhook-access=old');
    await client.fetch(request, { credentials: 'omit' });
    expect(cookies.at(-1)).toBeNull();
  });
});
