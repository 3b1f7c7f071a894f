import { expect } from 'vitest';
import { errorOf } from '../support/clients/token-calls.ts';
import {
  bodyOf,
  callsOf,
  deliveriesOf,
  type OneBody,
  register,
} from '../support/clients/webhook-calls.ts';
import { handDelivery } from '../support/deliveries/hand-delivery.ts';
import { clockedLimiters } from '../support/storage/clocked-limiters.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';

const delivery = handDelivery();
const shared = { auth: { webhooks: { worker: delivery } } };

inEveryCell(
  'POST /webhooks/{id}/ping',
  (test) => {
    test('sends a Webhook.Ping event to this webhook only', async (app) => {
      const calls = await callsOf(app);
      const { id } = await register(calls);
      const { id: other } = await register(calls);
      const response = await calls.send('POST', `/webhooks/${id}/ping`);
      const { data } = bodyOf<OneBody<{ delivery: string }>>(response, 202);
      expect(bodyOf(response, 202)).toEqual({
        id,
        data: { delivery: expect.stringMatching(/^msg_/) },
      });
      expect(await deliveriesOf(calls, id)).toMatchObject([
        { id: data.delivery, event: 'Webhook.Ping', state: 'queued' },
      ]);
      expect(await deliveriesOf(calls, other)).toEqual([]);
    });
  },
  shared,
);

inEveryCell(
  'the limit of POST /webhooks/{id}/ping',
  (test) => {
    test('allows 120 requests a minute over all webhooks of an account', async (app) => {
      const calls = await callsOf(app);
      const { id } = await register(calls);
      const { id: other } = await register(calls);
      for (let count = 1; count <= 120; count += 1) {
        const target = count % 2 === 0 ? id : other;
        expect((await calls.send('POST', `/webhooks/${target}/ping`)).status).toBe(202);
      }
      const rejected = await calls.send('POST', `/webhooks/${id}/ping`);
      expect(errorOf(rejected, 429).error).toBe('too_many_requests');
      expect(rejected.headers['retry-after']).toMatch(/^\d+$/);
      expect(await deliveriesOf(calls, id)).toHaveLength(50);

      const { id: stranger } = await register(await callsOf(app, 'alan'));
      const alan = await callsOf(app, 'alan');
      expect((await alan.send('POST', `/webhooks/${stranger}/ping`)).status).toBe(202);
      app.clock.advance(60_000);
      expect((await calls.send('POST', `/webhooks/${id}/ping`)).status).toBe(202);
    });
  },
  {
    auth: shared.auth,
    wrapStorage: (storage, clock) => ({ ...storage, limiters: clockedLimiters(clock) }),
  },
);
