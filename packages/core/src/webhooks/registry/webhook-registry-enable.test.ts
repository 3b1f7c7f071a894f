import { describe, expect, it, vi } from 'vitest';
import {
  namesOf,
  policy,
  publish,
  register,
  requestingUser,
  type Scene,
  scene,
} from './webhook-scene.test.support.ts';

/** Publishes one event to a webhook that answers 410. */
async function disable(at: Scene): Promise<void> {
  await publish(at);
  const [run] = at.enqueued.splice(0);
  if (run) await at.attempt(run, { kind: 'dead', reason: 'gone' });
}

describe('a webhook', () => {
  it('gets what was held, once it is enabled, however much', async () => {
    const at = scene({ maxQueuedPerWebhook: 10_000 });
    const { ref } = await register(at);
    await disable(at);
    expect(await publish(at, 1_100)).toContainEqual({ id: expect.any(String), deliveries: 1 });
    expect(at.enqueued).toEqual([]);

    const webhook = await at.registry.enable(ref, requestingUser);
    expect(webhook).toMatchObject({ disabledAtMs: null, disabledReason: null });
    await expect.poll(() => at.enqueued.length).toBe(1_100);
    expect(new Set(namesOf(at.enqueued)).size).toBe(1_100);
    expect(at.emitted.at(-1)).toEqual({ type: 'webhook.enabled', ...ref, ...requestingUser });
  });

  it('is not answered as enabled where the store releases nothing', async () => {
    const at = scene();
    const { ref } = await register(at);
    vi.spyOn(at.deliveryStore, 'release').mockRejectedValue(new Error('unavailable'));
    const enabled = at.registry.enable(ref, requestingUser);
    await expect(enabled).rejects.toMatchObject({ code: 'temporarily_unavailable' });
  });

  it('wakes what is parked until there is room, once it is enabled', async () => {
    const at = scene();
    const { ref } = await register(at, { rateLimit: 10_000 });
    await publish(at, 6);
    const [gone, ...parked] = at.enqueued;
    const store = at.contexts[0]?.deliveries;
    if (gone === undefined || store === undefined) throw new Error('nothing was published');
    const limits = {
      leaseMs: 20_000,
      maxInFlight: 1,
      maxLostAttempts: 5,
      rateMarginMs: 25,
      withdrawnStartAtMs: null,
    };
    const started = await store.start({ ...gone, ...limits });
    for (const run of parked) {
      expect(await store.start({ ...run, ...limits })).toMatchObject({ reason: 'in_flight' });
    }
    await store.finish({
      ...gone,
      attempt: started.outcome === 'started' ? started.attempt : 0,
      result: { status: 410, durationMs: 1, error: 'status', response: null },
      verdict: { kind: 'dead', reason: 'gone' },
      disableAfterMs: policy.disableAfterMs,
      pauseMs: 0,
      maxInFlight: 1,
    });
    expect(at.rescheduled).toEqual([]);
    await at.registry.enable(ref, requestingUser);
    expect(namesOf(at.rescheduled)).toEqual(namesOf(parked));
    expect(at.rescheduled.map(({ delayMs }) => delayMs)).toEqual([0, 0, 0, 0, 0]);
  });

  it('goes by a rate that was changed while it was disabled, once it is enabled', async () => {
    const at = scene();
    const { ref } = await register(at, { rateLimit: 1, rateLimitPeriod: 'minute' });
    await publish(at, 350);
    const [gone] = at.enqueued;
    if (gone === undefined) throw new Error('nothing was published');
    await at.attempt(gone, { kind: 'dead', reason: 'gone' });
    await at.registry.change(ref, { rateLimit: 10_000, rateLimitPeriod: 'second' }, requestingUser);
    expect(at.rescheduled).toEqual([]);
    await at.registry.enable(ref, requestingUser);
    await expect.poll(() => namesOf(at.rescheduled)).toEqual(namesOf(at.enqueued.slice(1)));
    // By the rate all may start; whoever finds no room is parked for some leases, and is woken.
    const { maxInFlightPerWebhook: room, leaseMs } = policy;
    const delays = at.rescheduled.map((_, rank) => (rank < room ? 0 : leaseMs * (rank / room + 1)));
    expect(at.rescheduled.map(({ delayMs }) => delayMs)).toEqual(delays);
  });

  it('emits that it was enabled where it was disabled, and by no repetition', async () => {
    const at = scene();
    const { ref, webhook } = await register(at);
    at.emitted.splice(0);
    expect(await at.registry.enable(ref, requestingUser)).toEqual(webhook);
    expect(at.emitted).toEqual([]);
    await disable(at);
    for (let nth = 0; nth < 2; nth += 1) await at.registry.enable(ref, requestingUser);
    expect(at.emitted.filter(({ type }) => type === 'webhook.enabled')).toHaveLength(1);
  });
});
