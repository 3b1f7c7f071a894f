import { type Client, createClient } from '@latchhook/client';
import type { paths } from '@latchhook/client/openapi';
import axios from 'axios';
import ky from 'ky';
import createOpenApiClient from 'openapi-fetch';
import { expect, it } from 'vitest';
import { startApp } from '../support/apps/start-app.ts';
import type { TestApp } from '../support/apps/test-app.ts';
import { ADA, EXPIRED_MS, refreshesOf, startClientApp } from '../support/tabs/client-app.ts';

const WEBHOOK = { event: 'Contact.Tagged', url: 'https://example.com/hook' } as const;

/** Each library creates a webhook with a client, in the way of docs/guides/front-end.md. */
const libraries: Record<string, (client: Client, baseUrl: string) => Promise<unknown>> = {
  async 'axios with its fetch adapter'(client, baseURL) {
    const api = axios.create({ baseURL, adapter: 'fetch', env: { fetch: client.fetch } });
    return (await api.post('/webhooks', WEBHOOK)).data;
  },
  async ky(client, prefixUrl) {
    const api = ky.create({ prefixUrl, fetch: client.fetch, retry: 0 });
    return api.post('webhooks', { json: WEBHOOK }).json();
  },
  async 'openapi-fetch'(client, baseUrl) {
    const api = createOpenApiClient<paths>({ baseUrl, fetch: client.fetch });
    const { data } = await api.POST('/webhooks', { body: WEBHOOK });
    return data;
  },
};

async function expired(): Promise<{ readonly app: TestApp; readonly client: Client }> {
  const app = await startClientApp({ auth: { webhooks: { worker: false } } });
  const client = createClient({ baseUrl: app.url });
  await client.login(ADA);
  app.clock.advance(EXPIRED_MS);
  return { app, client };
}

it.each(Object.keys(libraries))('%s sends a request again with a refreshed token', async (name) => {
  const { app, client } = await expired();
  const created = await libraries[name]?.(client, app.url);
  expect(created).toMatchObject({ data: { object: 'Webhook', url: WEBHOOK.url } });
  expect(refreshesOf(app).requests).toBe(1);
});

it.each(['express-starter', 'koa-starter'])(
  'every HTTP library can call %s through a client',
  async (starter) => {
    const { app } = await startApp(starter);
    const client = createClient({ baseUrl: app.url });
    await client.login(ADA);
    for (const call of Object.values(libraries)) {
      expect(await call(client, app.url)).toMatchObject({ data: { object: 'Webhook' } });
    }
  },
);

it('getAccessToken() supplies a valid token to axios over XMLHttpRequest or node:http', async () => {
  const { app, client } = await expired();
  const api = axios.create({ baseURL: app.url, adapter: 'http' });
  api.interceptors.request.use(async (config) => {
    config.headers.setAuthorization(`Bearer ${await client.getAccessToken()}`);
    return config;
  });
  await client.fetch('/me');
  expect((await api.get('/me')).data).toMatchObject({ userId: 'ada' });
});
