import { describe, expect, it } from 'vitest';
import {
  DAY_MS,
  deliveryTo,
  finishing,
  LIMITS,
  newMessage,
  newWebhook,
  retryAfter,
  starting,
} from '../support/storage/webhook-samples.ts';
import { openWebhookStores } from './open-webhook-stores.ts';

describe('a disabled webhook', () => {
  it('gets its held deliveries when it is enabled, in order', async () => {
    const { webhooks, deliveries, clock } = await openWebhookStores();
    const webhook = newWebhook('wh_1');
    await webhooks.create(webhook, LIMITS);
    for (const id of ['m1', 'm2', 'm3']) await deliveries.publish(newMessage(id));
    for (const id of ['m1', 'm2']) await deliveries.start(starting(deliveryTo('wh_1', id)));
    const gone = finishing(deliveryTo('wh_1', 'm1'), 1, { kind: 'dead', reason: 'gone' });
    expect(await deliveries.finish(gone)).toEqual({
      outcome: 'finished',
      state: 'dead',
      disabled: 'gone',
      next: null,
    });
    expect(
      await deliveries.finish(finishing(deliveryTo('wh_1', 'm2'), 1, retryAfter(5000))),
    ).toMatchObject({
      state: 'held',
      disabled: null,
    });
    expect(await deliveries.start(starting(deliveryTo('wh_1', 'm3')))).toEqual({ outcome: 'held' });
    expect(await deliveries.publish(newMessage('m4'))).toMatchObject({
      deliveries: 1,
      scheduled: [],
    });
    expect(await deliveries.countPending()).toBe(0);
    expect(await deliveries.release(webhook, { limit: 10 })).toEqual({
      scheduled: [],
      count: 0,
      more: false,
    });
    expect(await deliveries.resend(deliveryTo('wh_1', 'm1'))).toEqual({ outcome: 'held' });

    clock.advance(1);
    expect(await webhooks.enable(webhook)).toMatchObject({ webhook: { disabledAtMs: null } });
    const first = await deliveries.release(webhook, { limit: 2 });
    expect(first).toMatchObject({ scheduled: [{ deliveryId: 'm1', run: 2 }, {}], more: true });
    expect(await deliveries.release(webhook, { limit: 2 })).toMatchObject({
      scheduled: [
        { deliveryId: 'm3', run: 2, delayMs: 0 },
        { deliveryId: 'm4', run: 2, delayMs: 0 },
      ],
      more: false,
    });
    expect(await deliveries.countPending()).toBe(4);
  });

  it('is one whose attempts have all failed for long', async () => {
    const { webhooks, deliveries, clock } = await openWebhookStores();
    await webhooks.create(newWebhook('wh_1'), LIMITS);
    const webhook = deliveryTo('wh_1', '');
    const giveUp = async (messageId: string) => {
      await deliveries.publish(newMessage(messageId));
      const ref = deliveryTo('wh_1', messageId);
      const started = await deliveries.start(starting(ref));
      if (started.outcome !== 'started') return started.outcome;
      const exhausted = { kind: 'dead', reason: 'exhausted' } as const;
      const ended = await deliveries.finish(finishing(ref, started.attempt, exhausted));
      return ended.outcome === 'finished' ? ended.disabled : ended.outcome;
    };
    expect(await giveUp('m1')).toBeNull();
    clock.advance(5 * DAY_MS - 1);
    expect(await giveUp('m2')).toBeNull();
    clock.advance(1);
    expect(await giveUp('m3')).toBe('failing');
    expect(await webhooks.find(webhook)).toMatchObject({
      disabledAtMs: clock.nowMs(),
      disabledReason: 'failing',
    });
  });
});
