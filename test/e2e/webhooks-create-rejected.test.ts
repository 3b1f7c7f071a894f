import { expect } from 'vitest';
import { REJECTED_WEBHOOK_FIELDS } from '../support/clients/rejected-webhook-fields.ts';
import { errorOf, FORM_TYPE } from '../support/clients/token-calls.ts';
import { callsOf, NEW_WEBHOOK, RECEIVER_URL } from '../support/clients/webhook-calls.ts';
import { handDelivery } from '../support/deliveries/hand-delivery.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';

const shared = { auth: { webhooks: { worker: handDelivery() } } };

/** Numbers of JSON that JavaScript cannot represent. */
const REJECTED_TEXTS = ['1e400', '9007199254740993', '-0.5'];

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

    for (const [field, values] of Object.entries(REJECTED_WEBHOOK_FIELDS)) {
      test(`rejects an invalid ${field} and names it`, async (app) => {
        const calls = await callsOf(app);
        for (const value of values) {
          const response = await calls.send('POST', '/webhooks', {
            ...NEW_WEBHOOK,
            [field]: value,
          });
          const { error, errors } = errorOf(response);
          expect(error).toBe('invalid_request');
          expect(errors, JSON.stringify(value)).toEqual([{ field, message: expect.any(String) }]);
        }
      });
    }

    test('rejects a rate_limit that is not a safe integer', async (app) => {
      const calls = await callsOf(app);
      for (const text of REJECTED_TEXTS) {
        const body = JSON.stringify(NEW_WEBHOOK).replace('{', `{"rate_limit":${text},`);
        expect(errorOf(await calls.send('POST', '/webhooks', body)).error).toBe('invalid_request');
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

    test('rejects a URL that is malformed, not https, private, or has a user or fragment', async (app) => {
      const calls = await callsOf(app);
      for (const url of [
        'http://receiver.example/hook',
        'https://user@receiver.example',
        'https://user:password@receiver.example',
        'https://receiver.example/#fragment',
        'https://127.0.0.1',
        'https://127.1',
        'https://0x7f.1',
        'https://2130706433',
        'https://①②⑦.0.0.1',
        'https://[::1]',
        'https://[::ffff:7f00:1]',
        'https://[64:ff9b::a9fe:a9fe]',
        'https://[2002:7f00:1::]',
        'https://0',
        'https://10.0.0.1',
        'https://169.254.169.254/latest/meta-data',
        'https://localhost',
        'https://localhost.',
        'javascript:alert(1)',
        'https://',
      ]) {
        const response = await calls.send('POST', '/webhooks', { ...NEW_WEBHOOK, url });
        expect(errorOf(response).errors, url).toEqual([
          { field: 'url', message: expect.stringMatching(/^must /) },
        ]);
      }
    });

    test('accepts only JSON of at most 16 KiB', async (app) => {
      const calls = await callsOf(app);
      const authorization = ['authorization', `Bearer ${calls.accessToken}`];
      const form = new URLSearchParams(NEW_WEBHOOK).toString();
      for (const [headers, body] of [
        [FORM_TYPE, form],
        [['content-type', 'text/plain'], JSON.stringify(NEW_WEBHOOK)],
        [['content-type', 'application/json', 'content-encoding', 'gzip'], '{}'],
        [[], JSON.stringify(NEW_WEBHOOK)],
      ] as const) {
        const request = { method: 'POST', path: '/webhooks', body };
        const response = await app.send({ ...request, headers: [...headers, ...authorization] });
        expect(errorOf(response, 415).error).toBe('invalid_request');
      }
      for (const body of ['{', 'null', '[]', '"x"', '1']) {
        expect(errorOf(await calls.send('POST', '/webhooks', body)).error).toBe('invalid_request');
      }
      const padded = JSON.stringify(NEW_WEBHOOK).padEnd(16_385);
      expect(errorOf(await calls.send('POST', '/webhooks', padded), 413).error).toBe(
        'invalid_request',
      );
    });
  },
  shared,
);
