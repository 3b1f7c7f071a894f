import { describe, expect, it, vi } from 'vitest';
import type { WebhookRef } from '../storage/webhook-store.ts';
import {
  added,
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

const somebodyElses: [what: string, ref: (ref: WebhookRef) => WebhookRef][] = [
  ['that does not exist', (ref) => ({ ...ref, webhookId: 'wh_unknown' })],
  ['of another account', (ref) => ({ ...ref, accountId: 2 })],
];

describe('registering a webhook', () => {
  it('answers it with what was left out, and a secret that opens nowhere else', async () => {
    const at = scene();
    const { webhook, secret, ref } = await register(at);
    expect(webhook).toMatchObject({
      webhookId: expect.stringMatching(/^wh_[\w-]{22}$/),
      event: 'Contact.Added',
      url: 'https://example.com/',
      rateLimit: 50,
      rateLimitPeriod: 'second',
    });
    const opened = at.contexts[0]?.openSecrets(ref, webhook.secrets) ?? [];
    expect(opened.map((bytes) => `whsec_${Buffer.from(bytes).toString('base64')}`)).toEqual([
      secret,
    ]);
    expect(JSON.stringify(webhook)).not.toContain(secret.slice('whsec_'.length));
  });

  it('emits who did it, and never the URL', async () => {
    const at = scene();
    const { ref } = await register(at);
    expect(at.emitted).toEqual([{ type: 'webhook.created', ...ref, ...requestingUser }]);
  });

  it('ends at the most that an account may have', async () => {
    const at = scene();
    await register(at);
    await register(at);
    expect(await at.registry.create(1, added, requestingUser)).toEqual({
      outcome: 'limit_reached',
    });
    expect(await at.registry.list(1, { limit: 100, after: null })).toHaveLength(2);
    expect(at.emitted).toHaveLength(2);
  });

  it('refuses a URL that nothing may be sent to, and stores nothing', async () => {
    const at = scene();
    const privateUrl = { ...added, url: 'https://127.1/' };
    expect(await at.registry.create(1, privateUrl, requestingUser)).toEqual({
      outcome: 'refused',
      fields: [{ field: 'url', message: 'must not lead to a private address' }],
    });
    expect(await at.registry.list(1, { limit: 100, after: null })).toEqual([]);
  });
});

describe('a webhook', () => {
  it('is changed in what is given, and stored as it was parsed', async () => {
    const at = scene();
    const { ref } = await register(at, { rateLimit: 7 });
    const changed = await at.registry.change(ref, { url: 'HTTPS://EXAMPLE.ORG' }, requestingUser);
    const expected = { url: 'https://example.org/', rateLimit: 7 };
    expect(changed).toMatchObject({ outcome: 'changed', webhook: expected });
    expect(changed).toEqual({ outcome: 'changed', webhook: await at.registry.find(ref) });
    expect(at.emitted.at(-1)).toEqual({
      type: 'webhook.changed',
      fields: ['url'],
      ...ref,
      ...requestingUser,
    });
  });

  it('is not changed to a URL that nothing may be sent to', async () => {
    const at = scene();
    const { ref, webhook } = await register(at);
    const change = { url: 'http://example.com/', rateLimit: 1 };
    expect(await at.registry.change(ref, change, requestingUser)).toEqual({
      outcome: 'refused',
      fields: [{ field: 'url', message: 'must be an https: URL' }],
    });
    expect(await at.registry.find(ref)).toEqual(webhook);
  });

  it('reschedules its whole backlog by a rate that was changed, in order', async () => {
    const at = scene();
    const { ref } = await register(at, { rateLimit: 10_000 });
    await publish(at, 250);
    await at.registry.change(ref, { url: 'https://example.org/' }, requestingUser);
    expect(at.rescheduled).toEqual([]);

    await at.registry.change(ref, { rateLimit: 1 }, requestingUser);
    await expect.poll(() => at.rescheduled.length).toBe(250);
    expect(namesOf(at.rescheduled)).toEqual(namesOf(at.enqueued));
    const delays = at.rescheduled.map(({ delayMs }) => delayMs);
    expect(delays).toEqual(delays.toSorted((a, b) => a - b));
    expect(delays.at(-1)).toBeGreaterThanOrEqual(249 * 1_000);
  });

  it('reschedules its backlog by a period that was changed alone', async () => {
    const at = scene();
    const { ref } = await register(at);
    await publish(at, 2);
    await at.registry.change(ref, { rateLimitPeriod: 'minute' }, requestingUser);
    expect(namesOf(at.rescheduled)).toEqual(namesOf(at.enqueued));
  });

  it('is answered as changed once the first of its backlog are rescheduled', async () => {
    const at = scene();
    const { ref } = await register(at);
    const done: string[] = [];
    let resolveNow = (): void => {};
    const rescheduled = new Promise<[]>((resolve) => {
      resolveNow = () => resolve([]);
    });
    vi.spyOn(at.deliveryStore, 'reschedule').mockReturnValue(rescheduled);
    const changed = at.registry
      .change(ref, { rateLimit: 1 }, requestingUser)
      .then(() => done.push('said'));
    await new Promise(setImmediate);
    done.push('rescheduled');
    resolveNow();
    await changed;
    expect(done).toEqual(['rescheduled', 'said']);
  });

  it('signs with its new secret and, for the overlap, with the old one', async () => {
    const at = scene();
    const { ref, secret } = await register(at);
    const next = await at.registry.rotateSecret(ref, requestingUser);
    const signing = async () => {
      const { secrets = [] } = (await at.registry.find(ref)) ?? {};
      const opened = at.contexts[0]?.openSecrets(ref, secrets) ?? [];
      return opened.map((bytes) => `whsec_${Buffer.from(bytes).toString('base64')}`);
    };
    expect(await signing()).toEqual([next, secret]);
    at.clock.now += policy.secretOverlapMs;
    expect(await signing()).toEqual([next]);
    expect(at.emitted.at(-1)).toEqual({
      type: 'webhook.secret_rotated',
      ...ref,
      ...requestingUser,
    });
  });

  it('is removed, with its deliveries', async () => {
    const at = scene();
    const { ref } = await register(at);
    await publish(at);
    expect(await at.registry.remove(ref, requestingUser)).toBe(true);
    expect(at.emitted.at(-1)).toEqual({ type: 'webhook.removed', ...ref, ...requestingUser });
    expect(await at.registry.find(ref)).toBeNull();
    expect(await at.registry.remove(ref, requestingUser)).toBe(false);
    expect(await publish(at)).toMatchObject([{ deliveries: 0 }]);
  });

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

  it.each(somebodyElses)('%s is nowhere to be found', async (_what, other) => {
    const at = scene();
    const { ref, webhook } = await register(at);
    const { registry, deliveries } = at;
    const nobodys = other(ref);
    at.emitted.splice(0);
    for (const change of [{ rateLimit: 1 }, {}]) {
      const answer = await registry.change(nobodys, change, requestingUser);
      expect(answer).toEqual({ outcome: 'unknown' });
    }
    expect(await registry.remove(nobodys, requestingUser)).toBe(false);
    expect(await deliveries.resend({ ...nobodys, deliveryId: 'msg_1' })).toBe(false);
    for (const asked of [
      () => registry.find(nobodys),
      () => registry.rotateSecret(nobodys, requestingUser),
      () => registry.enable(nobodys, requestingUser),
      () => deliveries.ping(nobodys),
      () => deliveries.list(nobodys, { limit: 1, after: null }),
      () => deliveries.recover(nobodys, 0),
    ]) {
      expect(await asked()).toBeNull();
    }
    expect(await registry.find(ref)).toEqual(webhook);
    expect(at.emitted).toEqual([]);
  });
});
