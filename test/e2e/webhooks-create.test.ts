import { WEBHOOK_EVENTS } from '@latchhook/core';
import { expect } from 'vitest';
import { errorOf } from '../support/clients/token-calls.ts';
import {
  bodyOf,
  callsOf,
  NEW_WEBHOOK,
  type OneBody,
  RECEIVER_URL,
  register,
  type WebhookBody,
} from '../support/clients/webhook-calls.ts';
import { handDelivery } from '../support/deliveries/hand-delivery.ts';
import { onEnginesToo } from '../support/storage/in-every-cell.ts';

const shared = { auth: { webhooks: { worker: handDelivery() } } };

const longest = `${RECEIVER_URL}/`.padEnd(2083, 'x');

onEnginesToo(
  'POST /webhooks',
  (test) => {
    test('registers a webhook and returns its signing secret, which GET does not repeat', async (app) => {
      const calls = await callsOf(app);
      const response = await calls.send('POST', '/webhooks', NEW_WEBHOOK);
      const { id, data } = bodyOf<OneBody<WebhookBody & { secret: string }>>(response, 201);
      const now = new Date(app.clock.nowMs()).toISOString();
      expect(data).toEqual({
        object: 'Webhook',
        id,
        account_id: 1,
        event: 'Contact.Added',
        url: RECEIVER_URL,
        rate_limit: 50,
        rate_limit_period: 'second',
        created_at: now,
        updated_at: now,
        disabled_at: null,
        disabled_reason: null,
        secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      });
      expect(id).toMatch(/^wh_[\w-]+$/);
      expect(response.headers['location']).toBe(`/webhooks/${id}`);
      const { secret, ...rest } = data;
      const fetched = await calls.send('GET', `/webhooks/${id}`);
      expect(bodyOf(fetched, 200)).toEqual({ id, data: rest });
      expect(fetched.body).not.toContain(secret);
    });

    test('returns a Location with the account_id of the request', async (app) => {
      const free = await callsOf(app);
      const bound = await callsOf(app, 'ada', { account_id: 2 });
      for (const [calls, query] of [
        [free, ''],
        [free, '?account_id=1'],
        [free, '?account_id=2'],
        [bound, ''],
        [bound, '?account_id=2'],
      ] as const) {
        const response = await calls.send('POST', `/webhooks${query}`, NEW_WEBHOOK);
        const { id } = bodyOf<OneBody<WebhookBody>>(response, 201);
        const location = response.headers['location'];
        expect(location).toBe(`/webhooks/${id}${query}`);
        expect(bodyOf(await calls.send('GET', String(location)), 200)).toMatchObject({ id });
      }
    });

    test(
      'returns a Location under baseUrl',
      async (app) => {
        const { headers } = await (await callsOf(app)).send('POST', '/webhooks', NEW_WEBHOOK);
        expect(headers['location']).toMatch(/^\/v1\/webhooks\/wh_[\w-]+$/);
      },
      {
        mountPath: '/api/auth',
        auth: { ...shared.auth, baseUrl: 'https://edge.example.com/v1' },
      },
    );

    test('accepts every event, and every rate within the bounds', async (app) => {
      const calls = await callsOf(app);
      for (const event of WEBHOOK_EVENTS) {
        expect(await register(calls, { event })).toMatchObject({ event });
      }
      for (const rate_limit of [1, 10_000]) {
        for (const rate_limit_period of ['second', 'minute']) {
          const fields = { rate_limit, rate_limit_period };
          expect(await register(calls, fields)).toMatchObject(fields);
        }
      }
      expect(await register(calls, { url: longest })).toMatchObject({ url: longest });
    });

    test(
      'responds with 409 at the limit of an account, while other accounts may register',
      async (app) => {
        const calls = await callsOf(app);
        const { id } = await register(calls);
        await register(calls);
        const response = await calls.send('POST', '/webhooks', NEW_WEBHOOK);
        expect(errorOf(response, 409).error).toBe('limit_reached');
        await register(calls, {}, '?account_id=2');
        await calls.send('DELETE', `/webhooks/${id}`);
        await register(calls);
      },
      { auth: { webhooks: { ...shared.auth.webhooks, maxPerAccount: 2 } } },
    );
  },
  shared,
);

onEnginesToo('an app without webhooks', (test) => {
  test('passes requests for webhook paths on to the host app', async (app) => {
    const calls = await callsOf(app);
    const response = await calls.send('GET', '/webhooks');
    expect(response.status).toBe(404);
    expect(response.headers['pragma']).toBeUndefined();
    const { paths } = JSON.parse((await calls.send('GET', '/openapi.json')).body);
    expect(Object.keys(paths)).not.toContain('/webhooks');
    expect(paths['/token'].post.security).toEqual([]);
  });
});
