import { expect } from 'vitest';
import {
  bodyOf,
  callsOf,
  deliveriesOf,
  isoNow,
  type ListBody,
  NEW_WEBHOOK,
  publish,
  RECEIVER_URL,
  register,
  type WebhookBody,
  webhookOf,
} from '../support/clients/webhook-calls.ts';
import { DELIVERED, EXHAUSTED, handDelivery } from '../support/deliveries/hand-delivery.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';

const delivery = handDelivery();
const webhooks = { worker: delivery, maxPerAccount: 2 };
const GONE = { kind: 'failed', reason: 'gone' } as const;

inEveryCell(
  'auth.webhooks of the host',
  (test) => {
    test('manages all webhooks of an account, those of clients included', async (app) => {
      const host = app.auth.webhooks;
      const creation = await host.create(1, NEW_WEBHOOK);
      if (creation.outcome !== 'created') throw new Error(creation.outcome);
      const { webhook, secret } = creation;
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      const calls = await callsOf(app);
      expect(await webhookOf(calls, webhook.webhookId)).toEqual({
        object: 'Webhook',
        id: webhook.webhookId,
        account_id: 1,
        event: 'Contact.Added',
        url: RECEIVER_URL,
        rate_limit: 50,
        rate_limit_period: 'second',
        created_at: isoNow(app),
        updated_at: isoNow(app),
        disabled_at: null,
        disabled_reason: null,
      });

      const { id } = await register(calls);
      expect(await host.create(1, NEW_WEBHOOK)).toEqual({ outcome: 'limit_reached' });
      const first = await host.list(1, { limit: 1 });
      expect(first).toEqual({ items: [webhook], nextCursor: expect.any(String) });
      const rest = await host.list(1, { cursor: String(first.nextCursor) });
      expect(rest).toMatchObject({ items: [{ webhookId: id }], nextCursor: null });
      const byHttp = await calls.send('GET', `/webhooks?cursor=${first.nextCursor}`);
      expect(bodyOf<ListBody<WebhookBody>>(byHttp, 200).data).toMatchObject([{ id }]);

      app.clock.advance(1_000);
      const changed = { ...webhook, rateLimit: 7, updatedAtMs: app.clock.nowMs() };
      expect(await host.change(webhook, { rateLimit: 7 })).toEqual({
        outcome: 'changed',
        webhook: changed,
      });
      expect(await host.find(webhook)).toEqual(changed);
      const next = await host.rotateSecret(webhook);
      expect(next).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(next).not.toBe(secret);
      expect(await host.remove(webhook)).toBe(true);
      expect(await host.remove(webhook)).toBe(false);
      expect((await calls.send('GET', `/webhooks/${webhook.webhookId}`)).status).toBe(404);
      expect(JSON.stringify([app.events, changed, first])).not.toMatch(/whsec_|secret"/);
    });

    test('resends failed and paused deliveries after enable() and recover()', async (app) => {
      const host = app.auth.webhooks;
      const creation = await host.create(1, NEW_WEBHOOK);
      if (creation.outcome !== 'created') throw new Error(creation.outcome);
      const { webhook } = creation;
      const sinceMs = app.clock.nowMs();
      const died = await publish(app);
      await delivery.tryNext(EXHAUSTED, { status: null, error: 'timeout' });
      const gone = await publish(app);
      await delivery.tryNext(GONE, { status: 410 });
      const pausedId = await publish(app);
      expect(await host.find(webhook)).toMatchObject({ disabledReason: 'gone' });
      expect(await host.listDeliveries(webhook)).toMatchObject({
        items: [
          { deliveryId: pausedId, state: 'held' },
          { deliveryId: gone, state: 'dead', deadReason: 'gone' },
          { deliveryId: died, state: 'dead', attempts: [{ error: 'timeout' }] },
        ],
        nextCursor: null,
      });

      expect(await host.enable(webhook)).toMatchObject({ disabledAtMs: null });
      expect(await host.recover(webhook, sinceMs)).toBe(2);
      for (let i = 0; i < 3; i += 1) await delivery.tryNext(DELIVERED);
      const states = await deliveriesOf(await callsOf(app), webhook.webhookId);
      expect(states.map(({ state }) => state)).toEqual(['delivered', 'delivered', 'delivered']);
    });
  },
  { auth: { webhooks } },
);
