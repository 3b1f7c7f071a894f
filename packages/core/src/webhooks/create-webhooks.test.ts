import { describe, expect, it, vi } from 'vitest';
import {
  claimAllDue,
  deliveryIdsOf,
  endAttempts,
  failAllDue,
  fixture,
  policy,
  publish,
  register,
} from './registry/webhook-fixture.test.support.ts';

describe('a storage that fails', () => {
  it('causes temporarily_unavailable with its error as the cause in webhooks, deliveries and secrets', async () => {
    const at = fixture();
    const { ref } = await register(at);
    vi.spyOn(at.store, 'find').mockRejectedValue(new Error('of webhooks'));
    vi.spyOn(at.store, 'listEncrypted').mockRejectedValue(new Error('of secrets'));
    vi.spyOn(at.deliveryStore, 'publish').mockRejectedValue(new Error('of deliveries'));
    const unavailable = (message: string) =>
      expect.objectContaining({
        code: 'temporarily_unavailable',
        details: expect.objectContaining({ where: 'storage', cause: new Error(message) }),
      });
    await expect(at.registry.find(ref)).rejects.toEqual(unavailable('of webhooks'));
    await expect(publish(at)).rejects.toEqual(unavailable('of deliveries'));
    const encrypted = at.secrets.store.listEncrypted({ limit: 10, cursor: null });
    await expect(encrypted).rejects.toEqual(unavailable('of secrets'));
  });

  it('causes one fault event for repeated calls of a worker', async () => {
    const at = fixture();
    vi.spyOn(at.deliveryStore, 'stats').mockRejectedValue(new Error('unavailable'));
    for (let i = 0; i < 3; i += 1) {
      await expect(at.contexts[0]?.deliveries.stats()).rejects.toMatchObject({
        code: 'temporarily_unavailable',
      });
    }
    expect(at.emitted).toMatchObject([{ type: 'fault', where: 'storage' }]);
  });
});

describe('publishing', () => {
  it('stores a delivery for each webhook of the event', async () => {
    const at = fixture();
    const webhooks = [await register(at), await register(at)];
    const [message] = await publish(at);
    expect(message?.deliveries).toBe(2);
    const attempts = await claimAllDue(at);
    expect(new Set(attempts.map(({ webhookId }) => webhookId))).toEqual(
      new Set(webhooks.map(({ ref }) => ref.webhookId)),
    );
    expect(deliveryIdsOf(attempts)).toEqual([message?.id, message?.id]);
  });

  it('stores nothing if no webhook is registered for the event', async () => {
    const at = fixture();
    await register(at, { event: 'Contact.Removed' });
    expect(await publish(at)).toMatchObject([{ deliveries: 0 }]);
    expect(await claimAllDue(at)).toEqual([]);
  });

  it('returns the first message for a repeated idempotency key until idempotencyMs have passed', async () => {
    const at = fixture();
    await register(at);
    const message = { accountId: 1, data: {}, idempotencyKey: 'k' };
    const first = await at.events.publish('Contact.Added', message);
    expect(await at.events.publish('Contact.Added', message)).toEqual(first);
    expect(deliveryIdsOf(await claimAllDue(at))).toEqual([first.id]);
    at.clock.now += policy.idempotencyMs;
    expect((await at.events.publish('Contact.Added', message)).id).not.toBe(first.id);
  });

  it('emits delivery.dead for the delivery that expires at maxQueuedPerWebhook', async () => {
    const at = fixture({ maxQueuedPerWebhook: 1 });
    const { ref } = await register(at);
    const [first] = await publish(at);
    at.emitted.splice(0);
    await publish(at);
    expect(at.emitted).toEqual([
      { type: 'delivery.dead', reason: 'expired', ...ref, deliveryId: first?.id },
    ]);
  });
});

describe('the deliveries of a webhook', () => {
  it('include a requested ping', async () => {
    const at = fixture();
    const { ref } = await register(at);
    const { ref: otherRef } = await register(at);
    const deliveryId = await at.deliveries.ping(ref);
    expect(await claimAllDue(at)).toMatchObject([{ ...ref, deliveryId, attempt: 1 }]);
    const page = { limit: 10, after: null };
    expect(await at.deliveries.list(ref, page)).toMatchObject([{ event: 'Webhook.Ping' }]);
    expect(await at.deliveries.list(otherRef, page)).toEqual([]);
  });

  it('are resent only after their attempt in flight has ended', async () => {
    const at = fixture();
    await register(at);
    await publish(at);
    const [attempt] = await claimAllDue(at);
    if (!attempt) throw new Error('nothing was to be sent');
    await at.deliveries.resend(attempt);
    expect(await claimAllDue(at)).toEqual([]);
    await endAttempts(at, [attempt], { kind: 'delivered' });
    await at.deliveries.resend(attempt);
    const { deliveryId } = attempt;
    expect(await claimAllDue(at)).toMatchObject([{ deliveryId, attempt: 2, failures: 0 }]);
  });

  it('are recovered and counted if they were created since sinceMs, and have failed', async () => {
    const at = fixture();
    const { ref } = await register(at, { rateLimit: 10_000 });
    await publish(at);
    at.clock.now += 1_000;
    const sinceMs = at.clock.now;
    // One transition recovers 500, so these take three.
    await publish(at, 1_010);
    await failAllDue(at, 'exhausted');
    expect(await at.deliveries.recover(ref, sinceMs)).toBe(1_010);
    expect(await claimAllDue(at)).toHaveLength(1_010);
    expect(await at.deliveries.recover(ref, sinceMs)).toBe(0);
  });

  it('are counted as recovered even if their webhook is disabled', async () => {
    const at = fixture();
    const { ref } = await register(at);
    await publish(at, 2);
    await failAllDue(at, 'gone');
    expect(await at.deliveries.recover(ref, 0)).toBe(2);
    expect(await claimAllDue(at)).toEqual([]);
  });
});

describe('the delivery worker', () => {
  it('gets each call of drain() with its deadline, and each call of close()', async () => {
    const at = fixture();
    expect(await at.drain({ deadlineMs: 7 })).toEqual({ outcome: 'deadline' });
    await at.close();
    expect(at.calls).toEqual(['drain 7', 'close']);
  });
});
