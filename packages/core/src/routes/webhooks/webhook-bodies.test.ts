import { describe, expect, it } from 'vitest';
import type { ListedDelivery } from '../../storage/delivery-record.ts';
import type { WebhookRecord } from '../../storage/webhook-store.ts';
import { deliveryBody, webhookBodyFor } from './webhook-bodies.ts';

const webhookBody = webhookBodyFor(new Map([['Contact.Added', {}]]));
const ref = { accountId: 7, webhookId: 'wh_1' };
const webhook: WebhookRecord = {
  ...ref,
  event: 'Contact.Added',
  url: 'https://receiver.example/hook',
  rateLimit: 50,
  rateLimitPeriod: 'minute',
  sequence: 3,
  secrets: [{ encrypted: 'encrypted', retiresAtMs: null }],
  createdAtMs: Date.UTC(2026, 10, 20),
  updatedAtMs: Date.UTC(2026, 10, 21),
  disabledAtMs: null,
  disabledReason: null,
};
const delivery: ListedDelivery = {
  ...ref,
  deliveryId: 'msg_1',
  event: 'Contact.Added',
  sequence: 9,
  state: 'waiting',
  deadReason: null,
  createdAtMs: Date.UTC(2026, 10, 20),
  nextAttemptAtMs: Date.UTC(2026, 10, 20, 0, 5),
  attempts: [
    {
      attempt: 1,
      startedAtMs: Date.UTC(2026, 10, 20, 0, 0, 1),
      status: 500,
      durationMs: 12,
      error: null,
    },
  ],
};

describe('the JSON of a webhook in API responses', () => {
  it('has neither the signing secrets nor the position in lists', () => {
    expect(webhookBody(webhook)).toEqual({
      object: 'Webhook',
      id: 'wh_1',
      account_id: 7,
      event: 'Contact.Added',
      url: 'https://receiver.example/hook',
      rate_limit: 50,
      rate_limit_period: 'minute',
      created_at: '2026-11-20T00:00:00.000Z',
      updated_at: '2026-11-21T00:00:00.000Z',
      disabled_at: null,
      disabled_reason: null,
    });
  });

  it('has the time and the reason if the webhook is disabled', () => {
    const disabled = { disabledAtMs: Date.UTC(2026, 10, 22), disabledReason: 'gone' } as const;
    expect(webhookBody({ ...webhook, ...disabled })).toMatchObject({
      disabled_at: '2026-11-22T00:00:00.000Z',
      disabled_reason: 'gone',
    });
  });

  it('has event_removed if the app no longer publishes its event', () => {
    const body = webhookBody({ ...webhook, event: 'Contact.Merged' });
    expect(body).toEqual({
      ...webhookBody(webhook),
      event: 'Contact.Merged',
      event_removed: true,
    });
  });
});

describe('the JSON of a delivery in API responses', () => {
  it('has the time, status, duration and error of each attempt', () => {
    expect(deliveryBody(delivery)).toEqual({
      object: 'Delivery',
      id: 'msg_1',
      event: 'Contact.Added',
      state: 'waiting',
      reason: null,
      created_at: '2026-11-20T00:00:00.000Z',
      next_attempt_at: '2026-11-20T00:05:00.000Z',
      attempts: [{ at: '2026-11-20T00:00:01.000Z', status: 500, duration_ms: 12, error: null }],
    });
  });

  it('has a reason and no next attempt if the delivery is dead', () => {
    const dead = { state: 'dead', deadReason: 'exhausted', nextAttemptAtMs: null } as const;
    expect(deliveryBody({ ...delivery, ...dead })).toMatchObject({
      state: 'dead',
      reason: 'exhausted',
      next_attempt_at: null,
    });
  });
});
