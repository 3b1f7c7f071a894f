import { describe, expect, it } from 'vitest';
import type { SecurityEvent } from '../ports/telemetry.ts';
import type { ScheduledDelivery, Verdict } from '../storage/delivery-store.ts';
import { memoryStorage } from '../storage/memory/memory-storage.ts';
import type { WebhookRef } from '../storage/webhook-store.ts';
import { createSecretRing } from '../tokens/secret-ring.ts';
import { createWebhooks } from './create-webhooks.ts';
import type { DeliveryContext } from './delivery-engine.ts';
import type { DeliveryPolicy } from './delivery-policy.ts';
import { createSecretBox } from './secret-box.ts';
import type { Actor, WebhookFields } from './webhook-registry.ts';

const policy: DeliveryPolicy = {
  maxWebhooksPerAccount: 2,
  retentionMs: 86_400_000,
  idempotencyMs: 86_400_000,
  maxQueuedPerWebhook: 2_000,
  maxInFlightPerWebhook: 10,
  disableAfterMs: 86_400_000,
  secretOverlapMs: 3_600_000,
  leaseMs: 20_000,
  maxLostAttempts: 5,
  rateMarginMs: 25,
  allowHttp: false,
  allowPrivateAddresses: false,
};
const actor: Actor = { userId: 'ada', clientAddress: '192.0.2.1', userAgent: 'curl' };
const who = { ...actor };
const added: WebhookFields = { event: 'Contact.Added', url: 'https://example.com' };

/** Webhooks on a store in memory, with an engine that writes down what it is told. */
function scene(change: Partial<DeliveryPolicy> = {}) {
  const clock = { now: 1_795_171_200_000, nowMs: () => clock.now };
  const { webhooks: store, deliveries, limiters } = memoryStorage({ clock });
  if (!store || !deliveries || !limiters) throw new Error('the memory keeps webhooks');
  const events: SecurityEvent[] = [];
  const enqueued: ScheduledDelivery[] = [];
  const rescheduled: ScheduledDelivery[] = [];
  const contexts: DeliveryContext[] = [];
  const webhooks = createWebhooks({
    webhooks: store,
    limiters,
    deliveries,
    box: createSecretBox(createSecretRing([Buffer.alloc(32, 1)])),
    engine: {
      name: 'recording',
      durable: false,
      connect(context) {
        contexts.push(context);
        return {
          enqueue: async (batch) => void enqueued.push(...batch),
          reschedule: async (batch) => void rescheduled.push(...batch),
          close: async () => {},
        };
      },
    },
    guardEngine: (call) => call(),
    schemas: new Map(),
    policy: { ...policy, ...change },
    clock,
    emit: (event) => void events.push(event),
  });

  /** Makes the next attempt of a delivery and ends it. */
  async function attempt(run: ScheduledDelivery, verdict: Verdict): Promise<void> {
    const started = await deliveries?.start({
      ...run,
      leaseMs: 20_000,
      maxInFlight: 10,
      maxLostAttempts: 5,
      rateMarginMs: 25,
    });
    if (started?.outcome !== 'started') throw new Error(`the attempt is ${started?.outcome}`);
    const result = { status: 500, durationMs: 1, error: 'status', response: null };
    await deliveries?.finish({
      ...run,
      attempt: started.attempt,
      result,
      verdict,
      disableAfterMs: policy.disableAfterMs,
      maxInFlight: policy.maxInFlightPerWebhook,
    });
  }

  return { ...webhooks, store, clock, told: events, enqueued, rescheduled, contexts, attempt };
}

type Scene = ReturnType<typeof scene>;

async function register({ registry }: Scene, fields: Partial<WebhookFields> = {}) {
  const { webhook, secret } = await registry.create(1, { ...added, ...fields }, actor);
  return { ref: { accountId: 1, webhookId: webhook.webhookId }, webhook, secret };
}

function publish({ events }: Scene, count = 1) {
  const message = { accountId: 1, data: { contactId: 'c_1' } };
  return Promise.all(Array.from({ length: count }, () => events.publish('Contact.Added', message)));
}

/** Publishes one event to a webhook that answers 410. */
async function disable(at: Scene): Promise<void> {
  await publish(at);
  const [run] = at.enqueued.splice(0);
  if (run) await at.attempt(run, { kind: 'dead', reason: 'gone' });
}

function namesOf(deliveries: readonly ScheduledDelivery[]): string[] {
  return deliveries.map(({ deliveryId }) => deliveryId);
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

  it('tells who did it, and never the URL', async () => {
    const at = scene();
    const { ref } = await register(at);
    expect(at.told).toEqual([{ type: 'webhook.created', ...ref, ...who }]);
  });

  it('ends at the most that an account may have', async () => {
    const at = scene();
    await register(at);
    await register(at);
    await expect(register(at)).rejects.toMatchObject({ code: 'limit_reached' });
    expect(await at.registry.list(1, { limit: 100, after: null })).toHaveLength(2);
    expect(at.told).toHaveLength(2);
  });

  it('refuses a URL that nothing may be sent to, and stores nothing', async () => {
    const at = scene();
    await expect(register(at, { url: 'https://127.1/' })).rejects.toMatchObject({
      code: 'invalid_request',
      details: { fields: [{ field: 'url', message: 'must not lead to a private address' }] },
    });
    expect(await at.registry.list(1, { limit: 100, after: null })).toEqual([]);
  });
});

describe('a webhook', () => {
  it('is changed in what is given, and stored as it was judged', async () => {
    const at = scene();
    const { ref } = await register(at, { rateLimit: 7 });
    const changed = await at.registry.change(ref, { url: 'HTTPS://EXAMPLE.ORG' }, actor);
    expect(changed).toMatchObject({ url: 'https://example.org/', rateLimit: 7 });
    expect(await at.registry.get(ref)).toEqual(changed);
    expect(at.told.at(-1)).toEqual({ type: 'webhook.changed', fields: ['url'], ...ref, ...who });
  });

  it('is not changed to a URL that nothing may be sent to', async () => {
    const at = scene();
    const { ref, webhook } = await register(at);
    const change = { url: 'http://example.com/', rateLimit: 1 };
    await expect(at.registry.change(ref, change, actor)).rejects.toMatchObject({
      code: 'invalid_request',
    });
    expect(await at.registry.get(ref)).toEqual(webhook);
  });

  it('paces its whole backlog anew by a rate that was changed, in order', async () => {
    const at = scene();
    const { ref } = await register(at, { rateLimit: 10_000 });
    await publish(at, 250);
    await at.registry.change(ref, { url: 'https://example.org/' }, actor);
    expect(at.rescheduled).toEqual([]);

    await at.registry.change(ref, { rateLimit: 1 }, actor);
    await expect.poll(() => at.rescheduled.length).toBe(250);
    expect(namesOf(at.rescheduled)).toEqual(namesOf(at.enqueued));
    const delays = at.rescheduled.map(({ delayMs }) => delayMs);
    expect(delays).toEqual(delays.toSorted((a, b) => a - b));
    expect(delays.at(-1)).toBeGreaterThanOrEqual(249 * 1_000);
  });

  it('signs with its new secret and, for the overlap, with the old one', async () => {
    const at = scene();
    const { ref, secret } = await register(at);
    const next = await at.registry.rotateSecret(ref, actor);
    const signing = async () => {
      const { secrets } = await at.registry.get(ref);
      const opened = at.contexts[0]?.openSecrets(ref, secrets) ?? [];
      return opened.map((bytes) => `whsec_${Buffer.from(bytes).toString('base64')}`);
    };
    expect(await signing()).toEqual([next, secret]);
    at.clock.now += policy.secretOverlapMs;
    expect(await signing()).toEqual([next]);
    expect(at.told.at(-1)).toEqual({ type: 'webhook.secret_rotated', ...ref, ...who });
  });

  it('is removed, with its deliveries', async () => {
    const at = scene();
    const { ref } = await register(at);
    await publish(at);
    await at.registry.remove(ref, actor);
    expect(at.told.at(-1)).toEqual({ type: 'webhook.removed', ...ref, ...who });
    await expect(at.registry.get(ref)).rejects.toMatchObject({ code: 'not_found' });
    await expect(at.registry.remove(ref, actor)).rejects.toMatchObject({ code: 'not_found' });
    expect(await publish(at)).toMatchObject([{ deliveries: 0 }]);
  });

  it('gets what was held, once it is enabled, however much', async () => {
    const at = scene({ maxQueuedPerWebhook: 10_000 });
    const { ref } = await register(at);
    await disable(at);
    expect(await publish(at, 1_100)).toContainEqual({ id: expect.any(String), deliveries: 1 });
    expect(at.enqueued).toEqual([]);

    const webhook = await at.registry.enable(ref, actor);
    expect(webhook).toMatchObject({ disabledAtMs: null, disabledReason: null });
    await expect.poll(() => at.enqueued.length).toBe(1_100);
    expect(new Set(namesOf(at.enqueued)).size).toBe(1_100);
    expect(at.told.at(-1)).toEqual({ type: 'webhook.enabled', ...ref, ...who });
  });

  it.each(somebodyElses)('%s is nowhere to be found', async (_what, other) => {
    const at = scene();
    const { ref, webhook } = await register(at);
    const { registry, deliveries } = at;
    const nobodys = other(ref);
    at.told.splice(0);
    for (const asked of [
      () => registry.get(nobodys),
      () => registry.change(nobodys, { rateLimit: 1 }, actor),
      () => registry.remove(nobodys, actor),
      () => registry.rotateSecret(nobodys, actor),
      () => registry.enable(nobodys, actor),
      () => deliveries.ping(nobodys),
      () => deliveries.list(nobodys, { limit: 1, after: null }),
      () => deliveries.resend({ ...nobodys, deliveryId: 'msg_1' }),
      () => deliveries.recover(nobodys, 0),
    ]) {
      await expect(asked()).rejects.toMatchObject({ code: 'not_found' });
    }
    expect(await registry.get(ref)).toEqual(webhook);
    expect(at.told).toEqual([]);
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

  it('tells of the deliveries that had to give way', async () => {
    const at = scene({ maxQueuedPerWebhook: 1 });
    const { ref } = await register(at);
    const [first] = await publish(at);
    at.told.splice(0);
    await publish(at);
    expect(at.told).toEqual([
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

  it('are sent again once they have ended, and left alone while they are under way', async () => {
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
});
