import { expect } from 'vitest';
import { clockedLimiters } from '../support/clocked-limiters.ts';
import { handDelivery } from '../support/hand-delivery.ts';
import { inEveryCell } from '../support/in-every-cell.ts';
import type { TestApp } from '../support/test-app.ts';
import { errorOf, FORM_TYPE } from '../support/token-calls.ts';
import {
  bodyOf,
  callsOf,
  type DeliveryBody,
  deliveriesOf,
  type ListBody,
  type OneBody,
  register,
  type UserCalls,
  webhookOf,
} from '../support/webhook-calls.ts';

const delivery = handDelivery();
const shared = { auth: { webhooks: { delivery } } };

const DAY_MS = 86_400_000;
const DELIVERED = { kind: 'delivered' } as const;
const EXHAUSTED = { kind: 'dead', reason: 'exhausted' } as const;
const FAILED = { status: 500 };

async function publish(app: TestApp): Promise<string> {
  const published = await app.auth.events.publish('Contact.Added', { accountId: 1, data: {} });
  return published.id;
}

function isoNow(app: TestApp): string {
  return new Date(app.clock.nowMs()).toISOString();
}

function resend(calls: UserCalls, id: string, message: string) {
  return calls.send('POST', `/webhooks/${id}/deliveries/${message}/resend`);
}

function recover(calls: UserCalls, id: string, since: unknown) {
  return calls.send('POST', `/webhooks/${id}/recover`, { since });
}

inEveryCell(
  'POST /webhooks/{id}/ping',
  (claim) => {
    claim('sends an event of its own, to this webhook alone', async (app) => {
      const calls = await callsOf(app);
      const { id } = await register(calls);
      const { id: other } = await register(calls);
      const answer = await calls.send('POST', `/webhooks/${id}/ping`);
      const { data } = bodyOf<OneBody<{ delivery: string }>>(answer, 202);
      expect(bodyOf(answer, 202)).toEqual({
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
  'how often POST /webhooks/{id}/ping is taken',
  (claim) => {
    claim('takes 120 a minute from an account, over all of its webhooks', async (app) => {
      const calls = await callsOf(app);
      const { id } = await register(calls);
      const { id: other } = await register(calls);
      for (let count = 1; count <= 120; count += 1) {
        const target = count % 2 === 0 ? id : other;
        expect((await calls.send('POST', `/webhooks/${target}/ping`)).status).toBe(202);
      }
      const refused = await calls.send('POST', `/webhooks/${id}/ping`);
      expect(errorOf(refused, 429).error).toBe('too_many_requests');
      expect(refused.headers['retry-after']).toMatch(/^\d+$/);
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

inEveryCell(
  'GET /webhooks/{id}/deliveries',
  (claim) => {
    claim('tells of each delivery where it stands, and how its attempts went', async (app) => {
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
        next_attempt_at: expect.stringMatching(/Z$/),
        attempts: [],
      };
      expect(await deliveriesOf(calls, id)).toEqual([queued]);
      app.clock.advance(1000);
      const at = isoNow(app);
      const answered = { status: 503, durationMs: 17, response: 'from inside' };
      await delivery.tryNext({ kind: 'retry', delayMs: 5000 }, answered);
      expect(await deliveriesOf(calls, id)).toEqual([
        {
          ...queued,
          state: 'waiting',
          next_attempt_at: new Date(Date.parse(at) + 5000).toISOString(),
          attempts: [{ at, status: 503, duration_ms: 17, error: null }],
        },
      ]);
      const list = await calls.send('GET', `/webhooks/${id}/deliveries`);
      expect(list.body).not.toContain('from inside');
    });

    claim('tells of what was delivered, and of what was given up', async (app) => {
      const calls = await callsOf(app);
      const { id } = await register(calls);
      const [first, second] = [await publish(app), await publish(app)];
      await delivery.tryNext(DELIVERED);
      await delivery.tryNext(EXHAUSTED, { status: null, error: 'timeout' });
      expect(await deliveriesOf(calls, id)).toMatchObject([
        {
          id: second,
          state: 'dead',
          reason: 'exhausted',
          next_attempt_at: null,
          attempts: [{ status: null, error: 'timeout' }],
        },
        { id: first, state: 'delivered', reason: null, next_attempt_at: null },
      ]);
    });

    claim('lists the newest first, page by page', async (app) => {
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

    claim('refuses a limit or a cursor that cannot be', async (app) => {
      const calls = await callsOf(app);
      const { id } = await register(calls);
      for (const query of ['limit=0', 'limit=101', 'cursor=x', 'cursor=', 'cursor=MQ&cursor=MQ']) {
        const answer = await calls.send('GET', `/webhooks/${id}/deliveries?${query}`);
        expect(errorOf(answer).error).toBe('invalid_request');
      }
    });
  },
  shared,
);

inEveryCell(
  'POST /webhooks/{id}/deliveries/{delivery}/resend',
  (claim) => {
    claim('sends a delivery again, under the same id', async (app) => {
      const calls = await callsOf(app);
      const { id } = await register(calls);
      const message = await publish(app);
      for (const verdict of [DELIVERED, EXHAUSTED] as const) {
        await delivery.tryNext(verdict);
        const answer = await resend(calls, id, message);
        expect(bodyOf(answer, 202)).toEqual({ id, data: { delivery: message } });
        expect(await deliveriesOf(calls, id)).toMatchObject([{ id: message, state: 'waiting' }]);
        expect(delivery.handed).toMatchObject([{ webhookId: id, deliveryId: message }]);
      }
    });

    claim('leaves one alone that is on its way anyway', async (app) => {
      const calls = await callsOf(app);
      const { id } = await register(calls);
      const message = await publish(app);
      const handed = delivery.handed.length;
      expect((await resend(calls, id, message)).status).toBe(202);
      expect(delivery.handed).toHaveLength(handed);
    });
  },
  shared,
);

inEveryCell(
  'POST /webhooks/{id}/recover',
  (claim) => {
    claim('sends again what died since then, and says how many', async (app) => {
      const calls = await callsOf(app);
      const { id } = await register(calls);
      await publish(app);
      await delivery.tryNext(EXHAUSTED, FAILED);
      app.clock.advance(60_000);
      const since = isoNow(app);
      const [second, third] = [await publish(app), await publish(app)];
      await delivery.tryNext(EXHAUSTED, FAILED);
      await delivery.tryNext(EXHAUSTED, FAILED);
      await publish(app);
      await delivery.tryNext(DELIVERED);
      expect(bodyOf(await recover(calls, id, since), 202)).toEqual({ data: { count: 2 } });
      expect(delivery.handed.map(({ deliveryId }) => deliveryId)).toEqual([second, third]);
      expect(bodyOf(await recover(calls, id, since), 202)).toEqual({ data: { count: 0 } });
      expect((await deliveriesOf(calls, id)).map(({ state }) => state)).toEqual([
        'delivered',
        'waiting',
        'waiting',
        'dead',
      ]);
      const offset = since.replace('Z', '+00:00');
      expect(bodyOf(await recover(calls, id, offset), 202)).toEqual({ data: { count: 0 } });
    });

    claim('needs an instant, in JSON and in ISO 8601', async (app) => {
      const calls = await callsOf(app);
      const { id } = await register(calls);
      for (const since of ['', '2026-11-20', '2026-11-20T10:00:00', 'yesterday', 0, null, []]) {
        const answer = await recover(calls, id, since);
        expect(errorOf(answer).errors).toEqual([{ field: 'since', message: expect.any(String) }]);
      }
      const path = `/webhooks/${id}/recover`;
      expect(errorOf(await calls.send('POST', path, {})).errors).toEqual([
        { field: 'since', message: 'is required' },
      ]);
      const unknown = await calls.send('POST', path, { since: isoNow(app), until: isoNow(app) });
      expect(errorOf(unknown).errors).toEqual([{ field: 'until', message: 'is unknown' }]);
      const headers = [...FORM_TYPE, 'authorization', `Bearer ${calls.accessToken}`];
      const form = await app.send({ method: 'POST', path, headers, body: 'since=2026-11-20' });
      expect(form.status).toBe(415);
    });
  },
  shared,
);

inEveryCell(
  'POST /webhooks/{id}/enable',
  (claim) => {
    claim('takes back that a webhook is disabled, and sends what was held', async (app) => {
      const calls = await callsOf(app);
      const { id } = await register(calls);
      await publish(app);
      await delivery.tryNext({ kind: 'dead', reason: 'gone' }, { status: 410 });
      expect(await webhookOf(calls, id)).toMatchObject({
        disabled_at: isoNow(app),
        disabled_reason: 'gone',
      });
      const message = await publish(app);
      expect(delivery.handed).toEqual([]);
      expect(await deliveriesOf(calls, id)).toMatchObject([
        { id: message, state: 'held', next_attempt_at: null },
        { state: 'dead', reason: 'gone' },
      ]);
      const answer = await calls.send('POST', `/webhooks/${id}/enable`);
      expect(bodyOf(answer, 200)).toMatchObject({
        id,
        data: { object: 'Webhook', id, disabled_at: null, disabled_reason: null },
      });
      expect(delivery.handed).toMatchObject([{ deliveryId: message }]);
      expect(await deliveriesOf(calls, id)).toMatchObject([{ state: 'queued' }, { state: 'dead' }]);
    });

    claim('takes back that a webhook failed for days', async (app) => {
      const calls = await callsOf(app);
      const { id } = await register(calls);
      for (const days of [0, 6]) {
        app.clock.advance(days * DAY_MS);
        const later = await callsOf(app);
        await publish(app);
        await delivery.tryNext(EXHAUSTED, FAILED);
        const { disabled_reason } = await webhookOf(later, id);
        expect(disabled_reason).toBe(days === 0 ? null : 'failing');
      }
      const later = await callsOf(app);
      expect((await later.send('POST', `/webhooks/${id}/enable`)).status).toBe(200);
      expect((await webhookOf(later, id)).disabled_at).toBeNull();
    });

    claim('answers one that is enabled anyway', async (app) => {
      const calls = await callsOf(app);
      const { id, secret, ...webhook } = await register(calls);
      const answer = await calls.send('POST', `/webhooks/${id}/enable`);
      expect(bodyOf<OneBody<object>>(answer, 200).data).toMatchObject({
        ...webhook,
        updated_at: expect.any(String),
      });
    });
  },
  shared,
);
