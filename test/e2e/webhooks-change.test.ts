import { expect } from 'vitest';
import { REJECTED_WEBHOOK_FIELDS } from '../support/clients/rejected-webhook-fields.ts';
import { errorOf } from '../support/clients/token-calls.ts';
import {
  bodyOf,
  callsOf,
  deliveriesOf,
  type OneBody,
  RECEIVER_URL,
  register,
  webhookOf,
} from '../support/clients/webhook-calls.ts';
import { handDelivery } from '../support/deliveries/hand-delivery.ts';
import { onEnginesToo } from '../support/storage/in-every-cell.ts';

const shared = { auth: { webhooks: { worker: handDelivery() } } };

onEnginesToo(
  'PATCH /webhooks/{id}',
  (test) => {
    test('changes only the given fields', async (app) => {
      const calls = await callsOf(app);
      const { id, secret, ...before } = await register(calls, {
        rate_limit: 7,
        rate_limit_period: 'minute',
      });
      let expected: object = { id, ...before };
      for (const change of [
        { url: 'https://other.example/hook' },
        { rate_limit: 10_000 },
        { rate_limit_period: 'second' },
        { url: RECEIVER_URL, rate_limit: 1, rate_limit_period: 'minute' },
      ]) {
        app.clock.advance(1000);
        const response = await calls.send('PATCH', `/webhooks/${id}`, change);
        expect(bodyOf(response, 200)).toEqual({ id, data: { object: 'Webhook', patched: true } });
        const updated_at = new Date(app.clock.nowMs()).toISOString();
        expected = { ...expected, ...change, updated_at };
        expect(await webhookOf(calls, id)).toEqual(expected);
      }
    });

    test('accepts an empty body, which changes nothing and emits no event', async (app) => {
      const calls = await callsOf(app);
      const { id, secret, ...before } = await register(calls, { rate_limit: 7 });
      app.clock.advance(1000);
      const eventsBefore = app.events.length;
      for (const body of [{}, undefined]) {
        const response = await calls.send('PATCH', `/webhooks/${id}`, body);
        expect(bodyOf(response, 200)).toEqual({ id, data: { object: 'Webhook', patched: true } });
      }
      expect(await webhookOf(calls, id)).toEqual({ id, ...before });
      expect(app.events).toHaveLength(eventsBefore);
      expect((await calls.send('PATCH', '/webhooks/wh_unknown', {})).status).toBe(404);
    });

    test('names the field that is invalid, and changes nothing', async (app) => {
      const calls = await callsOf(app);
      const { id, secret, ...before } = await register(calls);
      for (const [field, values] of Object.entries(REJECTED_WEBHOOK_FIELDS)) {
        const other = field === 'rate_limit' ? { url: 'https://other.example' } : { rate_limit: 9 };
        for (const value of values) {
          const response = await calls.send('PATCH', `/webhooks/${id}`, {
            ...other,
            [field]: value,
          });
          expect(errorOf(response).errors, JSON.stringify(value)).toMatchObject([{ field }]);
        }
      }
      expect(await webhookOf(calls, id)).toEqual({ id, ...before });
    });

    test('rejects the field event, even with the same value', async (app) => {
      const calls = await callsOf(app);
      const { id } = await register(calls);
      const response = await calls.send('PATCH', `/webhooks/${id}`, { event: 'Contact.Added' });
      expect(errorOf(response).errors).toEqual([{ field: 'event', message: 'is unknown' }]);
    });
  },
  shared,
);

onEnginesToo(
  'POST /webhooks/{id}/secret',
  (test) => {
    test('returns a new signing secret, which appears nowhere else', async (app) => {
      const calls = await callsOf(app);
      const { id, secret } = await register(calls);
      const response = await calls.send('POST', `/webhooks/${id}/secret`);
      const rotated = bodyOf<OneBody<{ secret: string }>>(response, 200);
      expect(rotated).toEqual({
        id,
        data: { secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/) },
      });
      expect(rotated.data.secret).not.toBe(secret);
      await calls.send('POST', `/webhooks/${id}/ping`);
      const visible = [await webhookOf(calls, id), await deliveriesOf(calls, id), app.events];
      expect(JSON.stringify(visible)).not.toMatch(/whsec_/);
    });

    test('rejects a secret chosen by the client', async (app) => {
      const calls = await callsOf(app);
      const { id, secret } = await register(calls);
      const response = await calls.send('POST', `/webhooks/${id}/secret`, { secret });
      expect(errorOf(response, 400)).toMatchObject({
        errors: [{ field: 'secret', message: 'is unknown' }],
      });
      expect((await calls.send('POST', `/webhooks/${id}/secret`, {})).status).toBe(200);
    });
  },
  shared,
);
