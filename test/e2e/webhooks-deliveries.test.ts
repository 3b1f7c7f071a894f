import { expect } from 'vitest';
import {
  bodyOf,
  callsOf,
  type DeliveryBody,
  deliveriesOf,
  isoNow,
  type ListBody,
  publish,
  register,
} from '../support/clients/webhook-calls.ts';
import { handDelivery } from '../support/deliveries/hand-delivery.ts';
import { onEnginesToo } from '../support/storage/in-every-cell.ts';

const delivery = handDelivery();
const shared = { auth: { webhooks: { worker: delivery } } };

onEnginesToo(
  'GET /webhooks/{id}/deliveries',
  (test) => {
    test('shows the state of each delivery and its attempts', async (app) => {
      const calls = await callsOf(app);
      const { id } = await register(calls);
      const message = await publish(app);
      const queued = {
        object: 'Delivery',
        id: message,
        event: 'Contact.Added',
        state: 'queued',
        reason: null,
        created_at: isoNow(app),
        next_attempt_at: null,
        attempts: [],
      };
      expect(await deliveriesOf(calls, id)).toEqual([queued]);
      app.clock.advance(1000);
      const at = isoNow(app);
      const answered = { status: 503, durationMs: 17 };
      await delivery.tryNext({ kind: 'retry', delayMs: 5000 }, answered);
      expect(await deliveriesOf(calls, id)).toEqual([
        {
          ...queued,
          state: 'waiting',
          next_attempt_at: new Date(Date.parse(at) + 5000).toISOString(),
          attempts: [{ at, status: 503, duration_ms: 17, error: null }],
        },
      ]);
    });

    test('lists the newest delivery first, page by page', async (app) => {
      const calls = await callsOf(app);
      const { id } = await register(calls);
      const published: string[] = [];
      for (let count = 0; count < 5; count += 1) published.unshift(await publish(app));
      for (const limit of [1, 2, 5, 100]) {
        const listed: string[] = [];
        let next: string | null = '';
        while (next !== null) {
          const query: string = `?limit=${limit}${next === '' ? '' : `&cursor=${next}`}`;
          const page = await calls.send('GET', `/webhooks/${id}/deliveries${query}`);
          const { data, next_cursor }: ListBody<DeliveryBody> = bodyOf(page, 200);
          expect(data).toHaveLength(Math.min(limit, 5 - listed.length));
          listed.push(...data.map((each) => each.id));
          next = next_cursor;
        }
        expect(listed).toEqual(published);
      }
    });
  },
  shared,
);
