import { expect } from 'vitest';
import { errorOf } from '../support/clients/token-calls.ts';
import { bodyOf, callsOf, register } from '../support/clients/webhook-calls.ts';
import { handDelivery } from '../support/deliveries/hand-delivery.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';

const shared = { auth: { webhooks: { worker: handDelivery() } } };

inEveryCell(
  'DELETE /webhooks/{id}',
  (test) => {
    test('removes the webhook, which is unknown afterwards', async (app) => {
      const calls = await callsOf(app);
      const { id } = await register(calls);
      const response = await calls.send('DELETE', `/webhooks/${id}`);
      expect([response.status, response.body]).toEqual([204, '']);
      expect(response.headers['content-length']).toBeUndefined();
      for (const method of ['GET', 'DELETE']) {
        expect(errorOf(await calls.send(method, `/webhooks/${id}`), 404).error).toBe('not_found');
      }
      expect(bodyOf(await calls.send('GET', '/webhooks'), 200)).toMatchObject({ data: [] });
      const event = { accountId: 1, data: {} };
      expect(await app.auth.events.publish('Contact.Added', event)).toMatchObject({
        deliveries: 0,
      });
    });
  },
  shared,
);
