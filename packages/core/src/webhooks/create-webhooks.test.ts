import { describe, expect, it, vi } from 'vitest';
import {
  namesOf,
  policy,
  publish,
  register,
  requestingUser,
  scene,
} from './registry/webhook-scene.test.support.ts';

describe('a storage that fails', () => {
  it('is unavailable to whoever asks, with the fault, whichever of the two stores it is', async () => {
    const at = scene();
    const { ref } = await register(at);
    vi.spyOn(at.store, 'find').mockRejectedValue(new Error('of webhooks'));
    vi.spyOn(at.store, 'listSealed').mockRejectedValue(new Error('of secrets'));
    vi.spyOn(at.deliveryStore, 'publish').mockRejectedValue(new Error('of deliveries'));
    const unavailable = (message: string) =>
      expect.objectContaining({
        code: 'temporarily_unavailable',
        details: expect.objectContaining({ where: 'storage', cause: new Error(message) }),
      });
    await expect(at.registry.find(ref)).rejects.toEqual(unavailable('of webhooks'));
    await expect(publish(at)).rejects.toEqual(unavailable('of deliveries'));
    const sealed = at.secrets.store.listSealed({ limit: 10, cursor: null });
    await expect(sealed).rejects.toEqual(unavailable('of secrets'));
  });

  it('is one fault to an engine, which asks again and again', async () => {
    const at = scene();
    vi.spyOn(at.deliveryStore, 'overdue').mockRejectedValue(new Error('unavailable'));
    const request = { graceMs: 0, limit: 1, putOffMs: 0 };
    for (let nth = 0; nth < 3; nth += 1) {
      await expect(at.contexts[0]?.deliveries.overdue(request)).rejects.toMatchObject({
        code: 'temporarily_unavailable',
      });
    }
    expect(at.emitted).toMatchObject([{ type: 'fault', where: 'storage' }]);
  });
});

describe('publishing', () => {
  it('stores a delivery for each webhook of the event, and hands them over', async () => {
    const at = scene();
    const [one, two] = [await register(at), await register(at)];
    const [published] = await publish(at);
    expect(published?.deliveries).toBe(2);
    expect(at.enqueued).toEqual(
      [one, two].map(({ ref }) => ({ ...ref, deliveryId: published?.id, run: 1, delayMs: 0 })),
    );
  });

  it('hands nothing over where nobody listens', async () => {
    const at = scene();
    await register(at, { event: 'Contact.Removed' });
    expect(await publish(at)).toMatchObject([{ deliveries: 0 }]);
    expect(at.enqueued).toEqual([]);
  });

  it('under the same key answers the first, and hands over what never started', async () => {
    const at = scene();
    await register(at);
    const message = { accountId: 1, data: {}, idempotencyKey: 'k' };
    const first = await at.events.publish('Contact.Added', message);
    expect(await at.events.publish('Contact.Added', message)).toEqual(first);
    expect(namesOf(at.enqueued)).toEqual([first.id, first.id]);
    at.clock.now += policy.idempotencyMs;
    expect((await at.events.publish('Contact.Added', message)).id).not.toBe(first.id);
  });

  it('emits which deliveries had to give way', async () => {
    const at = scene({ maxQueuedPerWebhook: 1 });
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
  it('begin with a ping, if one is asked for', async () => {
    const at = scene();
    const { ref } = await register(at);
    const { ref: other } = await register(at);
    const deliveryId = await at.deliveries.ping(ref);
    expect(at.enqueued).toEqual([{ ...ref, deliveryId, run: 1, delayMs: 0 }]);
    const page = { limit: 10, after: null };
    expect(await at.deliveries.list(ref, page)).toMatchObject([{ event: 'Webhook.Ping' }]);
    expect(await at.deliveries.list(other, page)).toEqual([]);
  });

  it('are sent again once they have ended, and left alone while they are in flight', async () => {
    const at = scene();
    await register(at);
    await publish(at);
    const [run] = at.enqueued.splice(0);
    if (!run) throw new Error('nothing was handed over');
    await at.deliveries.resend(run);
    expect(at.enqueued).toEqual([]);
    await at.attempt(run, { kind: 'delivered' });
    await at.deliveries.resend(run);
    expect(at.enqueued).toMatchObject([{ deliveryId: run.deliveryId, run: 2 }]);
  });

  it('are recovered, all that died since then, and counted', async () => {
    const at = scene();
    const { ref } = await register(at, { rateLimit: 10_000 });
    await publish(at);
    at.clock.now += 1_000;
    const sinceMs = at.clock.now;
    await publish(at, 1_010);
    for (const run of at.enqueued.splice(0)) {
      await at.attempt(run, { kind: 'dead', reason: 'exhausted' });
    }
    expect(await at.deliveries.recover(ref, sinceMs)).toBe(1_010);
    expect(at.enqueued).toHaveLength(1_010);
    expect(await at.deliveries.recover(ref, sinceMs)).toBe(0);
  });

  it('count as recovered where they are only held, as their webhook is disabled', async () => {
    const at = scene();
    const { ref } = await register(at);
    await publish(at, 2);
    const [first, second] = at.enqueued.splice(0);
    if (!first || !second) throw new Error('nothing was handed over');
    await at.attempt(first, { kind: 'dead', reason: 'exhausted' });
    await at.attempt(second, { kind: 'dead', reason: 'gone' });
    expect(await at.deliveries.recover(ref, 0)).toBe(2);
    expect(at.enqueued).toEqual([]);
  });
});

describe('closing', () => {
  it('leaves a backlog as it is, before the engine is closed', async () => {
    const at = scene();
    const { ref } = await register(at, { rateLimit: 1, rateLimitPeriod: 'minute' });
    await publish(at, 950);
    await at.registry.change(ref, { rateLimit: 10 }, requestingUser);
    await at.close();
    await new Promise(setImmediate);
    expect(at.rescheduled.length).toBeLessThan(950);
    expect(at.closedAfter).toEqual([at.rescheduled.length]);
  });
});
