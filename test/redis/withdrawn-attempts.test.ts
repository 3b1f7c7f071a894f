import { describe, expect, it } from 'vitest';
import {
  ACCOUNT_ID,
  deliveryTo,
  finishing,
  LIMITS,
  newMessage,
  newWebhook,
  retryAfter,
  starting,
} from '../support/storage/webhook-samples.ts';
import { openWebhookStores } from './open-webhook-stores.ts';

describe('an attempt that is withdrawn', () => {
  it('is made again, even if the clock was set back to before the time of the retry', async () => {
    const { webhooks, deliveries, clock } = await openWebhookStores();
    await webhooks.create(newWebhook('wh_1'), LIMITS);
    await deliveries.publish(newMessage('m1'));
    const ref = deliveryTo('wh_1', 'm1');
    await deliveries.start(starting(ref));
    await deliveries.finish(finishing(ref, 1, retryAfter(0)));
    const withdrawnStartAtMs = clock.nowMs();
    expect(await deliveries.start(starting(ref))).toMatchObject({ attempt: 2 });
    clock.advance(-5_000);
    const answer = await deliveries.start(starting(ref, { withdrawnStartAtMs }));
    expect(answer).toMatchObject({ outcome: 'started', attempt: 2 });
  });

  it('leaves no list of starts behind that lasts, if it was the only one', async () => {
    const { webhooks, deliveries, redis, keyPrefix, clock } = await openWebhookStores();
    await webhooks.create(newWebhook('wh_1'), LIMITS);
    await deliveries.publish(newMessage('m1'));
    const ref = deliveryTo('wh_1', 'm1');
    const startsKey = `${keyPrefix}:{webhooks}:starts:${ACCOUNT_ID}/wh_1`;
    await deliveries.start(starting(ref));
    const withdrawal = { withdrawnStartAtMs: clock.nowMs(), maxInFlight: 0 };
    expect(await deliveries.start(starting(ref, withdrawal))).toMatchObject({
      reason: 'in_flight',
    });
    // It was emptied, and has lost its time to live.
    expect(await redis.exists(startsKey)).toBe(0);
    expect(await deliveries.start(starting(ref))).toMatchObject({ outcome: 'started' });
    expect(await redis.pttl(startsKey)).toBeGreaterThan(0);
  });
});
