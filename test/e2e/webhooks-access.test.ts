import { expect, onTestFinished } from 'vitest';
import { BAD_TOKEN } from '../support/clients/expect-rejected.ts';
import { errorOf, JSON_TYPE, revoke, session } from '../support/clients/token-calls.ts';
import { callsOf, register } from '../support/clients/webhook-calls.ts';
import { operationsOn, sendAll, withHeaders } from '../support/clients/webhook-operations.ts';
import { handDelivery } from '../support/deliveries/hand-delivery.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';
import { storageSwitch } from '../support/storage/storage-switch.ts';

const shared = { auth: { webhooks: { worker: handDelivery() } } };

function bearer(...tokens: readonly string[]): readonly string[] {
  return tokens.flatMap((token) => ['authorization', `Bearer ${token}`]);
}

inEveryCell(
  'every webhook route',
  (test) => {
    test('asks for a token by a challenge without an error code', async (app) => {
      for (const operation of operationsOn('wh_x')) {
        for (const headers of [[], ['authorization', 'Basic YTpi']]) {
          const response = await withHeaders(app, operation, headers);
          expect(errorOf(response, 401).error).toBe('invalid_token');
          expect(response.headers['www-authenticate']).toBe('Bearer');
          expect(response.headers['cache-control']).toBe('no-store');
        }
      }
    });

    test('gives the same 401 for every request without a token', async (app) => {
      const expected = await app.send({ method: 'GET', path: '/webhooks' });
      for (const request of [
        { method: 'POST', path: '/webhooks', headers: JSON_TYPE, body: '{' },
        { method: 'POST', path: '/webhooks', headers: JSON_TYPE, body: 'x'.repeat(20_000) },
        { method: 'POST', path: '/webhooks', headers: ['content-type', 'text/plain'], body: 'x' },
        { method: 'POST', path: '/webhooks?account_id=x', headers: JSON_TYPE, body: '{}' },
        { method: 'GET', path: '/webhooks?limit=x' },
        { method: 'GET', path: '/webhooks/..%2f' },
        { method: 'GET', path: `/webhooks/${'x'.repeat(200)}` },
      ]) {
        const response = await app.send(request);
        expect([response.status, response.body]).toEqual([401, expected.body]);
      }
    });

    test('rejects the token of an ended session immediately', async (app) => {
      const { access_token } = await session(app);
      const list = { method: 'GET', path: '/webhooks', headers: bearer(access_token) };
      expect((await app.send(list)).status).toBe(200);
      await revoke(app, access_token);
      const response = await app.send(list);
      expect(errorOf(response, 401).error).toBe('invalid_token');
      expect(response.headers['www-authenticate']).toBe(BAD_TOKEN);
    });

    test('responds to other methods with 405 and Allow, even without a token', async (app) => {
      for (const [path, allow] of Object.entries({
        '/webhooks': 'POST, GET, HEAD',
        '/webhooks/wh_x': 'GET, HEAD, PATCH, DELETE',
        '/webhooks/..%2f': 'GET, HEAD, PATCH, DELETE',
        '/webhooks/wh_x/secret': 'POST',
        '/webhooks/wh_x/ping': 'POST',
        '/webhooks/wh_x/deliveries': 'GET, HEAD',
        '/webhooks/wh_x/deliveries/msg_x/resend': 'POST',
        '/webhooks/wh_x/enable': 'POST',
        '/webhooks/wh_x/recover': 'POST',
      })) {
        for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
          if (allow.split(', ').includes(method)) continue;
          const response = await app.send({ method, path });
          expect(errorOf(response, 405).error).toBe('invalid_request');
          expect(response.headers['allow']).toBe(allow);
        }
      }
    });

    test('has Cache-Control: no-store in every response', async (app) => {
      const calls = await callsOf(app);
      const { id: registered } = await register(calls);
      for (const id of [registered, 'wh_unknown', '..%2f']) {
        for (const response of await sendAll(calls, operationsOn(id))) {
          expect(response.headers['cache-control']).toBe('no-store');
        }
      }
    });
  },
  shared,
);

const storage = storageSwitch();

inEveryCell(
  'every webhook route while the storage is down',
  (test) => {
    test('responds with 503', async (app) => {
      const calls = await callsOf(app);
      storage.mode = 'down';
      onTestFinished(() => {
        storage.mode = 'up';
      });
      for (const response of await sendAll(calls, operationsOn('wh_x'))) {
        expect(errorOf(response, 503).error).toBe('temporarily_unavailable');
        expect(response.headers['retry-after']).toBe('1');
      }
      storage.mode = 'up';
      expect((await calls.send('GET', '/webhooks')).status).toBe(200);
    });
  },
  { ...shared, wrapStorage: storage.wrap },
);
