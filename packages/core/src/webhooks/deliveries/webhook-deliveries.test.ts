import { describe, expect, it } from 'vitest';
import type { ScheduledBatch, ScheduledDelivery } from '../../storage/delivery-outcomes.ts';
import { createWebhookDeliveries, type WebhookDeliveriesDeps } from './webhook-deliveries.ts';

const ref = { accountId: 1, webhookId: 'wh_a' };

function scheduled(deliveryId: string): ScheduledDelivery {
  return { ...ref, deliveryId, run: 2, delayMs: 0 };
}

const FIRST = { scheduled: [scheduled('msg_1'), scheduled('msg_2')], count: 2, more: true };
const LAST = { scheduled: [scheduled('msg_3')], count: 1, more: false };

/** Dead deliveries in batches, and an engine that takes none before the test has it do so. */
function scene(batches: (ScheduledBatch | null)[] = [FIRST, LAST]) {
  const done: unknown[] = [];
  const waiting: (() => void)[] = [];
  const deliveries: WebhookDeliveriesDeps['deliveries'] = {
    list: () => Promise.reject(new Error('nobody asks for this')),
    resend: async ({ deliveryId }) => ({ outcome: 'scheduled', scheduled: scheduled(deliveryId) }),
    async recover(_ref, request) {
      done.push(request);
      return batches.shift() ?? null;
    },
  };
  const control = createWebhookDeliveries({
    deliveries,
    quotas: { admitPing: async () => {}, admitResend: async () => {} },
    sendPing: async () => null,
    handOver: (batch) =>
      new Promise((taken) => {
        waiting.push(() => {
          done.push(batch.map(({ deliveryId }) => deliveryId));
          taken();
        });
      }),
  });

  /** Has the engine take what it has been handed by now. */
  async function take(): Promise<void> {
    await new Promise(setImmediate);
    for (const next of waiting.splice(0)) next();
  }
  return { ...control, done, take };
}

describe('sending again', () => {
  it('is answered when the engine has the delivery', async () => {
    const { resend, done, take } = scene();
    const answered = resend({ ...ref, deliveryId: 'msg_1' }).then(() => done.push('answered'));
    await take();
    await answered;
    expect(done).toEqual([['msg_1'], 'answered']);
  });

  it('of all that died asks the store for a batch when the engine has the one before', async () => {
    const { recover, done, take } = scene();
    const answered = recover(ref, 7).then((count) => done.push(count));
    await take();
    await take();
    await answered;
    const request = { sinceMs: 7, limit: 500 };
    expect(done).toEqual([request, ['msg_1', 'msg_2'], request, ['msg_3'], 3]);
  });

  it('of all that died finds no webhook that is removed meanwhile', async () => {
    const { recover, done, take } = scene([FIRST, null]);
    const answered = recover(ref, 7).then((count) => done.push(count));
    await take();
    await answered;
    const request = { sinceMs: 7, limit: 500 };
    expect(done).toEqual([request, ['msg_1', 'msg_2'], request, null]);
  });
});
