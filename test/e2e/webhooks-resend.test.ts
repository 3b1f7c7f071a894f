import { expect } from 'vitest';
import { errorOf, FORM_TYPE } from '../support/clients/token-calls.ts';
import {
  bodyOf,
  callsOf,
  deliveriesOf,
  isoNow,
  publish,
  register,
  type UserCalls,
  webhookOf,
} from '../support/clients/webhook-calls.ts';
import { DELIVERED, EXHAUSTED, FAILED, handDelivery } from '../support/deliveries/hand-delivery.ts';
import { clockedLimiters } from '../support/storage/clocked-limiters.ts';
import { inEveryCell } from '../support/storage/in-every-cell.ts';

const delivery = handDelivery();
const shared = { auth: { webhooks: { worker: delivery } } };

function resend(calls: UserCalls, id: string, message: string) {
  return calls.send('POST', `/webhooks/${id}/deliveries/${message}/resend`);
}

function recover(calls: UserCalls, id: string, since: unknown) {
  return calls.send('POST', `/webhooks/${id}/recover`, { since });
}

inEveryCell(
  'POST /webhooks/{id}/deliveries/{delivery}/resend',
  (test) => {
    test('sends a delivery again under the same id', async (app) => {
      const calls = await callsOf(app);
      const { id } = await register(calls);
      const message = await publish(app);
      for (const outcome of [DELIVERED, EXHAUSTED] as const) {
        expect(await delivery.tryNext(outcome)).toBe(message);
        const response = await resend(calls, id, message);
        expect(bodyOf(response, 202)).toEqual({ id, data: { delivery: message } });
        expect(await deliveriesOf(calls, id)).toMatchObject([{ id: message, state: 'waiting' }]);
      }
      expect(await delivery.tryNext(DELIVERED)).toBe(message);
      expect(await delivery.tryNext(DELIVERED)).toBeNull();
    });
  },
  shared,
);

inEveryCell(
  'POST /webhooks/{id}/recover',
  (test) => {
    test('resends the deliveries that failed after since, and returns their number', async (app) => {
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
      expect(bodyOf(await recover(calls, id, since), 202)).toEqual({ data: { count: 0 } });
      expect((await deliveriesOf(calls, id)).map(({ state }) => state)).toEqual([
        'delivered',
        'waiting',
        'waiting',
        'dead',
      ]);
      const offset = since.replace('Z', '+00:00');
      expect(bodyOf(await recover(calls, id, offset), 202)).toEqual({ data: { count: 0 } });
      const tries = [await delivery.tryNext(DELIVERED), await delivery.tryNext(DELIVERED)];
      expect(tries).toEqual([second, third]);
      expect(await delivery.tryNext(DELIVERED)).toBeNull();
    });

    test('requires since as an ISO 8601 time with an offset, in JSON', async (app) => {
      const calls = await callsOf(app);
      const { id } = await register(calls);
      for (const since of ['', '2026-11-20', '2026-11-20T10:00:00', 'yesterday', 0, null, []]) {
        const response = await recover(calls, id, since);
        expect(errorOf(response).errors).toEqual([{ field: 'since', message: expect.any(String) }]);
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
  (test) => {
    test('enables a disabled webhook and sends its paused deliveries', async (app) => {
      const calls = await callsOf(app);
      const { id } = await register(calls);
      await publish(app);
      await delivery.tryNext({ kind: 'failed', reason: 'gone' }, { status: 410 });
      expect(await webhookOf(calls, id)).toMatchObject({
        disabled_at: isoNow(app),
        disabled_reason: 'gone',
      });
      const message = await publish(app);
      expect(await delivery.tryNext(DELIVERED)).toBeNull();
      expect(await deliveriesOf(calls, id)).toMatchObject([
        { id: message, state: 'held', next_attempt_at: null },
        { state: 'dead', reason: 'gone' },
      ]);
      const response = await calls.send('POST', `/webhooks/${id}/enable`);
      expect(bodyOf(response, 200)).toMatchObject({
        id,
        data: { object: 'Webhook', id, disabled_at: null, disabled_reason: null },
      });
      expect(await deliveriesOf(calls, id)).toMatchObject([{ state: 'queued' }, { state: 'dead' }]);
      expect(await delivery.tryNext(DELIVERED)).toBe(message);
    });
  },
  shared,
);

inEveryCell(
  'the limit of resend, recover and enable',
  (test) => {
    test('allows 300 requests a minute over all webhooks of an account', async (app) => {
      const calls = await callsOf(app);
      const [{ id }, { id: other }] = [await register(calls), await register(calls)];
      const message = await publish(app);
      const asking = [
        () => resend(calls, id, message),
        () => recover(calls, other, isoNow(app)),
        () => calls.send('POST', `/webhooks/${other}/enable`),
      ];
      for (let count = 0; count < 100; count += 1) {
        for (const ask of asking) expect((await ask()).status).toBeLessThan(300);
      }
      for (const ask of asking) {
        const rejected = await ask();
        expect(errorOf(rejected, 429).error).toBe('too_many_requests');
        expect(rejected.headers['retry-after']).toMatch(/^\d+$/);
      }
      expect((await calls.send('POST', `/webhooks/${id}/ping`)).status).toBe(202);

      const alan = await callsOf(app, 'alan');
      const { id: stranger } = await register(alan);
      expect((await alan.send('POST', `/webhooks/${stranger}/enable`)).status).toBe(200);
      app.clock.advance(60_000);
      for (const ask of asking) expect((await ask()).status).toBeLessThan(300);
    });
  },
  {
    auth: shared.auth,
    wrapStorage: (storage, clock) => ({ ...storage, limiters: clockedLimiters(clock) }),
  },
);
