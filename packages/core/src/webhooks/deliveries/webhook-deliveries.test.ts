import { describe, expect, it } from 'vitest';
import { createWebhookDeliveries, type WebhookDeliveriesDeps } from './webhook-deliveries.ts';

const ref = { accountId: 1, webhookId: 'wh_a' };

type Batch = Awaited<ReturnType<WebhookDeliveriesDeps['deliveries']['redeliverFailed']>>;

/** Failed deliveries, in batches. */
function fixture(batches: Batch[]) {
  const asked: unknown[] = [];
  const control = createWebhookDeliveries({
    deliveries: {
      list: () => Promise.reject(new Error('nobody asks for this')),
      redeliver: async ({ deliveryId }) => {
        return { outcome: deliveryId === 'msg_1' ? 'under_way' : 'unknown' };
      },
      async redeliverFailed(_ref, request) {
        asked.push(request);
        return batches.shift() ?? null;
      },
    },
    quotas: { admitPing: async () => {}, admitResend: async () => {} },
    sendPing: async () => null,
  });
  return { ...control, asked };
}

describe('resend', () => {
  it('returns true for a delivery in flight, and false for an unknown delivery', async () => {
    const { resend } = fixture([]);
    expect(await resend({ ...ref, deliveryId: 'msg_1' })).toBe(true);
    expect(await resend({ ...ref, deliveryId: 'msg_2' })).toBe(false);
  });
});

describe('recover', () => {
  const request = { sinceMs: 7, limit: 500 };

  it('requests batches until there are no more, and returns the total', async () => {
    const { recover, asked } = fixture([
      { count: 500, more: true },
      { count: 3, more: false },
    ]);
    expect(await recover(ref, 7)).toBe(503);
    expect(asked).toEqual([request, request]);
  });

  it('returns null if the webhook is removed between two batches', async () => {
    const { recover, asked } = fixture([{ count: 500, more: true }]);
    expect(await recover(ref, 7)).toBeNull();
    expect(asked).toEqual([request, request]);
  });
});
