import { type Client, type ClientOptions, createClient } from '@latchhook/client';
import { describe, expect, it } from 'vitest';
import { ADA, EXPIRED_MS, startClientApp } from '../support/tabs/client-app.ts';

const WEBHOOK = { event: 'Contact.Tagged', url: 'https://example.com/hook' };

/** A client whose access token has expired on the server. */
async function expiredClient(options: Partial<ClientOptions> = {}): Promise<Client> {
  const app = await startClientApp({ auth: { webhooks: { worker: false } } });
  const client = createClient({ baseUrl: app.url, ...options });
  await client.login(ADA);
  app.clock.advance(EXPIRED_MS);
  return client;
}

describe('client.request()', () => {
  it('fills in path and query parameters, and resolves to the response body', async () => {
    const client = await expiredClient();
    const created = await client.request('POST /webhooks', {
      body: { event: 'Contact.Tagged', url: WEBHOOK.url },
      query: { account_id: 2 },
    });
    expect(created.data.secret).toMatch(/^whsec_/);
    const path = { id: created.id };
    const read = await client.request('GET /webhooks/{id}', { path, query: { account_id: 2 } });
    expect(read.data.url).toBe(WEBHOOK.url);
    const { data, next_cursor } = await client.request('GET /webhooks', { query: { limit: 1 } });
    expect([data, next_cursor]).toEqual([[], null]);
    const gone = await client.request('DELETE /webhooks/{id}', { path, query: { account_id: 2 } });
    expect(gone).toBeUndefined();
  });

  it('leaves out a query parameter that is undefined, which the server would reject', async () => {
    const client = await expiredClient();
    const query = { account_id: undefined, limit: 1 };
    expect(await client.request('GET /webhooks', { query })).toMatchObject({ data: [] });
  });

  it('rejects with invalid_answer if the body of a successful response is not JSON', async () => {
    const client = await expiredClient({
      // As a development server answers that does not forward the routes of Latchhook.
      fetch: async (input, init) =>
        String(input).endsWith('/token') ? fetch(input, init) : new Response('<!doctype html>'),
    });
    const error = { code: 'invalid_answer', status: 200 };
    await expect(client.request('GET /users/self/sessions')).rejects.toMatchObject(error);
    expect(await client.logout()).toMatchObject({ outcome: 'not_revoked', error });
  });

  it('rejects with the error of the route', async () => {
    const client = await expiredClient();
    await expect(
      client.request('GET /webhooks/{id}', { path: { id: '../wh?' } }),
    ).rejects.toMatchObject({ code: 'not_found', status: 404 });
  });

  it.each([undefined, '', '.', '..'])(
    'rejects the id %o with 404, and asks for no shorter path, which may be that of all sessions',
    async (id) => {
      const urls: string[] = [];
      const client = await expiredClient({
        fetch(input, init) {
          urls.push(String(input));
          return fetch(input, init);
        },
      });
      const path = { id } as { id: string };
      const rejected = client.request('DELETE /users/self/sessions/{id}', { path });
      await expect(rejected).rejects.toMatchObject({ code: 'not_found', status: 404 });
      expect(urls.at(-1)).toMatch(/\/users\/self\/sessions\/\w+$/);
    },
  );

  it('accepts any string as a scope or event, but no other type', async () => {
    const client = await expiredClient();
    const webhook = { ...WEBHOOK, event: 'Invoice.Paid' };
    const unknown = client.request('POST /webhooks', { body: webhook });
    await expect(unknown).rejects.toMatchObject({ code: 'invalid_request', status: 400 });
    // @ts-expect-error: no text
    const untyped = client.request('POST /webhooks', { body: { ...WEBHOOK, event: 7 } });
    await expect(untyped).rejects.toMatchObject({ code: 'invalid_request', status: 400 });
    const body = { name: 'a script', scopes: ['user', 'billing:read'] } as const;
    const rejected = client.request('POST /users/self/pats', { body });
    await expect(rejected).rejects.toMatchObject({ status: 403 });
    const misspelt = client.request('POST /users/self/pats', {
      // @ts-expect-error: no list
      body: { name: 'a script', scopes: 'user' },
    });
    await expect(misspelt).rejects.toMatchObject({ status: 403 });
  });

  it('has type errors for an unknown route and for a missing path parameter', async () => {
    const client = await expiredClient();
    // @ts-expect-error: the id is missing
    await expect(client.request('GET /webhooks/{id}')).rejects.toMatchObject({ status: 404 });
    // @ts-expect-error: no such route
    await expect(client.request('GET /webhook')).rejects.toMatchObject({ status: 404 });
  });
});
