import { setImmediate as nextTurn } from 'node:timers/promises';
import type { StartDeliveryWorker, WebhookOptions } from '@latchhook/core';
import type { DeliveryContext } from '@latchhook/core/delivery';
import type { ClaimRequest } from '@latchhook/core/storage';
import { expect } from 'vitest';
import { openapiOf } from '../support/clients/public-documents.ts';
import { refresh, session } from '../support/clients/token-calls.ts';
import { bodyOf, callsOf, RECEIVER_URL, register } from '../support/clients/webhook-calls.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';
import { PATIENT_MS } from '../support/time/patience.ts';

let delivery: DeliveryContext | undefined;
const worker: StartDeliveryWorker = (context) => {
  delivery = context;
  return { drain: async () => ({ outcome: 'drained' }), close: async () => {} };
};
const events = {
  'login.new': { securityEvent: 'login.succeeded', description: 'Somebody has logged in.' },
  'session.stolen': { securityEvent: 'session.reused' },
};
/** Cast, because all test apps have the same type. */
const webhooks = { worker, events } as unknown as WebhookOptions;

/** Waits for `count` deliveries, and resolves to their bodies. */
async function delivered(count: number) {
  const bodies: Readonly<Record<string, unknown>>[] = [];
  const policy = { ...delivery?.policy, limit: 10, rateMarginMs: 0 } as ClaimRequest;
  await expect
    .poll(
      async () => {
        await nextTurn();
        const { attempts = [] } = (await delivery?.deliveries.claim(policy)) ?? {};
        bodies.push(...attempts.map(({ body }) => JSON.parse(String(body))));
        return bodies.length;
      },
      { timeout: PATIENT_MS },
    )
    .toBe(count);
  return bodies;
}

inEveryCell(
  'security events that an app publishes to webhooks',
  (test) => {
    test('are delivered to all accounts of their user', async (app) => {
      const calls = await callsOf(app);
      await register(calls, { event: 'session.stolen' });
      await register(calls, { event: 'session.stolen' }, '?account_id=2');
      const { refresh_token } = await session(app);
      const used = JSON.parse((await refresh(app, refresh_token)).body);
      await refresh(app, used.refresh_token);
      expect((await refresh(app, refresh_token)).status).toBe(400);
      const bodies = await delivered(2);
      expect(bodies.map(({ account_id }) => account_id).toSorted()).toEqual([1, 2]);
      const { sessionId } = app.events.find(({ type }) => type === 'session.reused') as {
        readonly sessionId: string;
      } & object;
      expect(bodies[0]).toMatchObject({
        type: 'session.stolen',
        data: { user_id: 'ada', session_id: sessionId, client_address: '127.0.0.1' },
      });
      expect(JSON.stringify(bodies)).not.toContain('lh_rt_');
    });

    test('are delivered only to the account that the login is bound to', async (app) => {
      // The host registers the webhook, because a login to do so would be an event too.
      const fields = { event: 'login.new' as never, url: RECEIVER_URL };
      for (const account of [1, 2]) await app.auth.webhooks.create(account, fields);
      await session(app, 'ada', { account_id: 2 });
      const [body] = await delivered(1);
      expect(body).toMatchObject({ account_id: 2, data: { user_id: 'ada', scopes: ['user'] } });
    });

    test('are listed and described with their data', async (app) => {
      const calls = await callsOf(app);
      const { data } = bodyOf<{ data: object[] }>(
        await calls.send('GET', '/webhooks/event-types'),
        200,
      );
      expect(data).toMatchObject([
        {
          name: 'login.new',
          description: 'Somebody has logged in.',
          schema: { properties: { session_id: { type: 'string' } } },
        },
        { name: 'session.stolen', description: expect.stringContaining('refresh token') },
      ]);
      const described = (await openapiOf(app)).webhooks;
      expect(described).toHaveProperty('login.new');
    });

    test('cannot be published by the host', async (app) => {
      expect(app.auth.events.names).toEqual([]);
      const { publish } = app.auth.events as unknown as {
        publish(event: string, message: object): Promise<unknown>;
      };
      await expect(publish('session.stolen', { accountId: 1, data: {} })).rejects.toThrow(
        TypeError,
      );
    });
  },
  { auth: { webhooks } },
);
