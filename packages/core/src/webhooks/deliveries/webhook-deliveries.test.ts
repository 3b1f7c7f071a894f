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

describe('sending a delivery again', () => {
  it('finds one that is under way, and none that does not exist', async () => {
    const { resend } = fixture([]);
    expect(await resend({ ...ref, deliveryId: 'msg_1' })).toBe(true);
    expect(await resend({ ...ref, deliveryId: 'msg_2' })).toBe(false);
  });
});

describe('sending all failed deliveries again', () => {
  const request = { sinceMs: 7, limit: 500 };

  it('asks for batches until there is no more, and counts them all', async () => {
    const { recover, asked } = fixture([
      { count: 500, more: true },
      { count: 3, more: false },
    ]);
    expect(await recover(ref, 7)).toBe(503);
    expect(asked).toEqual([request, request]);
  });

  it('finds no webhook that is removed meanwhile', async () => {
    const { recover, asked } = fixture([{ count: 500, more: true }]);
    expect(await recover(ref, 7)).toBeNull();
    expect(asked).toEqual([request, request]);
  });
});
