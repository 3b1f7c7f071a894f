import { expect } from 'vitest';
import { errorOf } from '../support/clients/token-calls.ts';
import {
  bodyOf,
  callsOf,
  type ListBody,
  register,
  type WebhookBody,
} from '../support/clients/webhook-calls.ts';
import { handDelivery } from '../support/deliveries/hand-delivery.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';

const shared = { auth: { webhooks: { worker: handDelivery() } } };

inEveryCell(
  'GET /webhooks',
  (test) => {
    test('lists the webhooks of the account in the order of creation, page by page', async (app) => {
      const calls = await callsOf(app);
      const ids: string[] = [];
      for (let count = 0; count < 5; count += 1) ids.push((await register(calls)).id);
      await register(calls, {}, '?account_id=2');
      for (const limit of [1, 2, 4, 5, 100]) {
        const listed: string[] = [];
        let next: string | null = '';
        while (next !== null) {
          const query: string = `?limit=${limit}${next === '' ? '' : `&cursor=${next}`}`;
          const page = await calls.send('GET', `/webhooks${query}`);
          const { data, next_cursor }: ListBody<WebhookBody> = bodyOf(page, 200);
          expect(data).toHaveLength(Math.min(limit, 5 - listed.length));
          listed.push(...data.map(({ id }) => id));
          next = next_cursor;
        }
        expect(listed).toEqual(ids);
      }
    });

    test('lists each webhook without its secret', async (app) => {
      const calls = await callsOf(app);
      const { secret, ...webhook } = await register(calls);
      const response = await calls.send('GET', '/webhooks');
      expect(bodyOf(response, 200)).toEqual({ data: [webhook], next_cursor: null });
    });

    test('rejects an invalid limit or cursor and names it', async (app) => {
      const calls = await callsOf(app);
      for (const [field, values] of Object.entries({
        limit: ['0', '101', '-1', '1.5', 'x', '', '1&limit=1'],
        cursor: ['', 'x', '1', '%00', 'MQ=', 'MQ==', '-1', `MQ&cursor=MQ`, 'M'.repeat(5000)],
      })) {
        for (const value of values) {
          const response = await calls.send('GET', `/webhooks?${field}=${value}`);
          expect(errorOf(response).errors, value).toMatchObject([{ field }]);
        }
      }
    });
  },
  shared,
);
