import { describe, expect, it } from 'vitest';
import { LIMITS, newMessage, newWebhook } from '../support/storage/webhook-samples.ts';
import { claimAll, claimOnce, completeAll, DELIVERED, idsOf } from './claim-samples.ts';
import { openWebhookStores } from './open-webhook-stores.ts';

describe('a Redis clock that is set back', () => {
  it('does not delay a delivery that is due', async () => {
    const { webhooks, deliveries, clock } = await openWebhookStores();
    await webhooks.create(newWebhook('wh_1'), LIMITS);
    for (const id of ['m1', 'm2']) await deliveries.publish(newMessage(id));
    expect((await claimOnce(deliveries, { limit: 1 })).attempts).toHaveLength(1);
    clock.advance(-3_600_000);
    expect(idsOf(await claimAll(deliveries))).toEqual(['m2']);
  });

  it('delays a webhook at its rate limit by one rate window at most', async () => {
    const { webhooks, deliveries, clock } = await openWebhookStores();
    await webhooks.create(newWebhook('wh_1', { rateLimit: 3 }), LIMITS);
    const ids = ['m1', 'm2', 'm3', 'm4', 'm5', 'm6'];
    for (const id of ids) await deliveries.publish(newMessage(id));
    // Two starts before the clock is set back and one after it count.
    for (let i = 0; i < 2; i += 1) {
      expect((await claimOnce(deliveries, { limit: 1 })).attempts).toHaveLength(1);
      clock.advance(10);
    }
    clock.advance(-3_600_000);
    // This computes anew when the webhook is due, which must not lengthen the delay.
    await webhooks.enable(newWebhook('wh_1'));
    expect(idsOf(await claimAll(deliveries))).toEqual(['m3']);
    expect(await claimOnce(deliveries)).toMatchObject({ attempts: [], nextInMs: 1_000 });
    clock.advance(999);
    expect(await claimOnce(deliveries)).toMatchObject({ attempts: [], nextInMs: 1 });
    clock.advance(1);
    expect(idsOf(await claimAll(deliveries))).toEqual(['m4', 'm5', 'm6']);
  });
});

describe('the stored start times of a webhook', () => {
  it('are at most as many as its rate limit', async () => {
    const { webhooks, deliveries, clock, redis, keyPrefix } = await openWebhookStores();
    await webhooks.create(newWebhook('wh_1', { rateLimit: 10 }), LIMITS);
    for (let i = 0; i < 200; i += 1) {
      await deliveries.publish(newMessage(`m${i}`));
      const attempts = await claimAll(deliveries);
      expect(attempts).toHaveLength(1);
      await completeAll(deliveries, attempts, DELIVERED);
      clock.advance(110);
    }
    const length = await redis.llen(`${keyPrefix}:{webhooks}:window:7/wh_1`);
    // The window of a second holds nine or ten starts, one every 110 ms.
    expect(length).toBeGreaterThanOrEqual(9);
    expect(length).toBeLessThanOrEqual(10);
  });
});
