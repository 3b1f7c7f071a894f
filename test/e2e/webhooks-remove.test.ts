import { expect } from 'vitest';
import { handDelivery } from '../support/hand-delivery.ts';
import { inEveryCell } from '../support/in-every-cell.ts';
import { errorOf } from '../support/token-calls.ts';
import { bodyOf, callsOf, register } from '../support/webhook-calls.ts';

const shared = { auth: { webhooks: { delivery: handDelivery() } } };

inEveryCell(
  'DELETE /webhooks/{id}',
  (claim) => {
    claim('removes the webhook: it is unknown from then on', async (app) => {
      const calls = await callsOf(app);
      const { id } = await register(calls);
      const answer = await calls.send('DELETE', `/webhooks/${id}`);
      expect([answer.status, answer.body]).toEqual([204, '']);
      expect(answer.headers['content-length']).toBeUndefined();
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
