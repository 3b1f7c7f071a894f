import { describe, expect, it } from 'vitest';
import { createWebhookDeliveries, type WebhookDeliveriesDeps } from './webhook-deliveries.ts';

const ref = { accountId: 1, webhookId: 'wh_a' };

type Batch = Awaited<ReturnType<WebhookDeliveriesDeps['deliveries']['redeliverFailed']>>;

/** Deliveries of a store whose calls of `redeliverFailed` return these batches. */
function fixture(batches: Batch[]) {
  const requests: unknown[] = [];
  const control = createWebhookDeliveries({
    deliveries: {
      list: () => Promise.reject(new Error('not used')),
      redeliver: async ({ deliveryId }) => {
        return { outcome: deliveryId === 'msg_1' ? 'under_way' : 'unknown' };
      },
      async redeliverFailed(_ref, request) {
        requests.push(request);
        return batches.shift() ?? null;
      },
    },
    quotas: { admitPing: async () => {}, admitResend: async () => {} },
    sendPing: async () => null,
  });
  return { ...control, requests };
}

describe('resend()', () => {
  it('returns true for a delivery in flight, and false for an unknown delivery', async () => {
    const { resend } = fixture([]);
    expect(await resend({ ...ref, deliveryId: 'msg_1' })).toBe(true);
    expect(await resend({ ...ref, deliveryId: 'msg_2' })).toBe(false);
  });
});

describe('recover()', () => {
  const request = { sinceMs: 7, limit: 500 };

  it('returns the total of all batches', async () => {
    const { recover, requests } = fixture([
      { count: 500, more: true },
      { count: 3, more: false },
    ]);
    expect(await recover(ref, 7)).toBe(503);
    expect(requests).toEqual([request, request]);
  });

  it('returns null if the webhook is removed between two batches', async () => {
    const { recover, requests } = fixture([{ count: 500, more: true }]);
    expect(await recover(ref, 7)).toBeNull();
    expect(requests).toEqual([request, request]);
  });
});
