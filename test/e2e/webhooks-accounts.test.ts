import { expect } from 'vitest';
import { errorOf } from '../support/clients/token-calls.ts';
import {
  bodyOf,
  callsOf,
  type ListBody,
  OPERATIONS,
  register,
  type UserCalls,
  type WebhookBody,
} from '../support/clients/webhook-calls.ts';
import { operationsOn, sendAll } from '../support/clients/webhook-operations.ts';
import { handDelivery } from '../support/deliveries/hand-delivery.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';

const shared = { auth: { webhooks: { worker: handDelivery() } } };

inEveryCell(
  'the account of a webhook request',
  (test) => {
    const ownerOf = async (calls: UserCalls, query: string = '') =>
      (await register(calls, {}, query)).account_id;

    test('is account_id, or else the account of the token, or else the first of the user', async (app) => {
      const free = await callsOf(app);
      expect(await ownerOf(free)).toBe(1);
      expect(await ownerOf(free, '?account_id=2')).toBe(2);
      const bound = await callsOf(app, 'ada', { account_id: 2 });
      expect(await ownerOf(bound)).toBe(2);
      expect(await ownerOf(bound, '?account_id=2')).toBe(2);
      const { data }: ListBody<WebhookBody> = bodyOf(await bound.send('GET', '/webhooks'), 200);
      expect(data.map(({ account_id }) => account_id)).toEqual([2, 2, 2]);
    });

    test('is rejected if the user lacks it or the token is bound to another', async (app) => {
      const free = await callsOf(app);
      const bound = await callsOf(app, 'ada', { account_id: 2 });
      app.users.change('alan', { accounts: [] });
      const none = await callsOf(app, 'alan');
      for (const [calls, query] of [
        [free, '?account_id=3'],
        [free, '?account_id=9007199254740991'],
        [bound, '?account_id=1'],
        [none, ''],
        [none, '?account_id=1'],
      ] as const) {
        for (const response of await sendAll(calls, operationsOn('wh_x', query))) {
          expect(errorOf(response, 403).error).toBe('access_denied');
          expect(response.headers['www-authenticate']).toBe('Bearer error="insufficient_scope"');
        }
      }
    });

    test('is rejected if it is invalid or repeated', async (app) => {
      const calls = await callsOf(app);
      for (const value of [
        '0',
        '-1',
        '1.5',
        'x',
        '',
        '1e0',
        '9007199254740993',
        '1&account_id=1',
      ]) {
        for (const response of await sendAll(calls, operationsOn('wh_x', `?account_id=${value}`))) {
          expect(errorOf(response).errors, value).toMatchObject([{ field: 'account_id' }]);
        }
      }
    });
  },
  shared,
);

inEveryCell(
  'a webhook of another account',
  (test) => {
    test('gets the same 404 as an unknown webhook, to the byte', async (app) => {
      const other = await callsOf(app, 'ada', { account_id: 2 });
      const { id: foreign } = await register(other);
      const published = { accountId: 2, data: {} };
      const { id: message } = await app.auth.events.publish('Contact.Added', published);
      const calls = await callsOf(app, 'ada', { account_id: 1 });
      const { id: own } = await register(calls);
      const ids = [foreign, 'wh_unknown', `${own}x`, own.toUpperCase(), 'x', '-', '_', '0'];
      const impossible = ['..%2f', '%00', '.', '..', `w${own.slice(1, -1)}%${own.slice(-1)}`];
      const long = 'x'.repeat(129);
      for (const [method, below, body] of OPERATIONS) {
        const [expected] = await sendAll(calls, [{ method, path: `/webhooks/wh_0${below}`, body }]);
        expect(expected && errorOf(expected, 404)).toEqual({
          error: 'not_found',
          error_description: 'There is nothing here.',
        });
        for (const id of [...ids, ...impossible, long]) {
          const response = await calls.send(method, `/webhooks/${id}${below}`, body);
          expect([response.status, response.body, id]).toEqual([404, expected?.body, id]);
        }
      }
      for (const [webhook, delivery] of [
        [foreign, message],
        [own, message],
        [own, 'msg_unknown'],
        [own, '..%2f'],
        [own, long],
      ] as const) {
        const path = `/webhooks/${webhook}/deliveries/${delivery}/resend`;
        expect(errorOf(await calls.send('POST', path), 404).error).toBe('not_found');
      }
      expect((await other.send('GET', `/webhooks/${foreign}`)).status).toBe(200);
    });
  },
  shared,
);
