import { expect } from 'vitest';
import { REJECTED_WEBHOOK_FIELDS } from '../support/clients/rejected-webhook-fields.ts';
import { errorOf, FORM_TYPE } from '../support/clients/token-calls.ts';
import { callsOf, NEW_WEBHOOK, RECEIVER_URL } from '../support/clients/webhook-calls.ts';
import { handDelivery } from '../support/deliveries/hand-delivery.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';

const shared = { auth: { webhooks: { worker: handDelivery() } } };

inEveryCell(
  'POST /webhooks',
  (test) => {
    test('requires event and url, and names the missing fields', async (app) => {
      const calls = await callsOf(app);
      const missing = (field: string) => ({ field, message: 'is required' });
      for (const [body, errors] of [
        [{}, [missing('event'), missing('url')]],
        [{ url: RECEIVER_URL }, [missing('event')]],
        [{ event: 'Contact.Added' }, [missing('url')]],
      ] as const) {
        const response = await calls.send('POST', '/webhooks', body);
        expect(errorOf(response)).toMatchObject({ error: 'invalid_request', errors });
      }
    });

    test('names the field that is invalid', async (app) => {
      const calls = await callsOf(app);
      for (const [field, values] of Object.entries(REJECTED_WEBHOOK_FIELDS)) {
        for (const value of values) {
          const response = await calls.send('POST', '/webhooks', {
            ...NEW_WEBHOOK,
            [field]: value,
          });
          const { error, errors } = errorOf(response);
          expect(error).toBe('invalid_request');
          expect(errors, JSON.stringify(value)).toEqual([{ field, message: expect.any(String) }]);
        }
      }
    });

    test('rejects unknown fields', async (app) => {
      const calls = await callsOf(app);
      for (const field of [
        'uri',
        'URL',
        'id',
        'account_id',
        'secret',
        'constructor',
        '__proto__',
      ]) {
        const body = JSON.stringify(NEW_WEBHOOK).replace('{', `{"${field}":"x",`);
        const response = await calls.send('POST', '/webhooks', body);
        expect(errorOf(response).errors).toEqual([{ field, message: 'is unknown' }]);
      }
    });

    test('rejects a URL that is not https or leads to a private address', async (app) => {
      const calls = await callsOf(app);
      for (const [url, message] of [
        ['http://receiver.example/hook', 'must be an https: URL'],
        ['https://[::ffff:7f00:1]', 'must not lead to a private address'],
      ]) {
        const response = await calls.send('POST', '/webhooks', { ...NEW_WEBHOOK, url });
        expect(errorOf(response).errors, url).toEqual([{ field: 'url', message }]);
      }
    });

    test('accepts only JSON', async (app) => {
      const calls = await callsOf(app);
      const headers = [...FORM_TYPE, 'authorization', `Bearer ${calls.accessToken}`];
      const body = new URLSearchParams(NEW_WEBHOOK).toString();
      const response = await app.send({ method: 'POST', path: '/webhooks', headers, body });
      expect(errorOf(response, 415).error).toBe('invalid_request');
    });
  },
  shared,
);
