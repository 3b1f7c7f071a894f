import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ListedDelivery } from '../delivery-record.ts';
import type { StartRequest, Verdict } from '../delivery-store.ts';
import type { NewMessage } from '../new-message.ts';
import type { WebhookChange } from '../webhook-store.ts';
import { MemoryDeliveryStore } from './memory-delivery-store.ts';
import { MemoryWebhookStore } from './memory-webhook-store.ts';
import type { RankedSequence } from './ranked-sequence.ts';
import type { StoredDelivery } from './stored-delivery.ts';
import { WebhookStates } from './webhook-states.ts';

const ref = { accountId: 1, webhookId: 'wh_1' };
const PENDING = new Set(['queued', 'sending', 'waiting']);

function membersOf(line: RankedSequence<StoredDelivery>): StoredDelivery[] {
  return Array.from({ length: line.size }, (_, rank) => line.at(rank) ?? []).flat();
}

function idOf({ message }: StoredDelivery): string {
  return message.messageId;
}

async function setUp(change: WebhookChange = {}) {
  const time = { nowMs: Date.UTC(2026, 0, 1), steadyMs: 0 };
  const states = new WebhookStates({
    nowMs: () => time.nowMs,
    monotonicMs: () => time.steadyMs,
  });
  const webhooks = new MemoryWebhookStore(states);
  const deliveries = new MemoryDeliveryStore(states);
  const created = {
    ...ref,
    event: 'Contact.Added',
    url: 'https://receiver.example',
    rateLimit: 5,
    rateLimitPeriod: 'second',
    sealedSecret: 'sealed',
    ...change,
  } as const;
  await webhooks.create(created, { maxPerAccount: 10 });
  const runs = new Map<string, number>();

  async function start(deliveryId: string, more: Partial<StartRequest> = {}) {
    return deliveries.start({
      ...ref,
      deliveryId,
      run: runs.get(deliveryId) ?? 1,
      leaseMs: 5000,
      maxInFlight: 100,
      maxLostAttempts: 3,
      rateMarginMs: 0,
      withdrawnStartAtMs: null,
      ...more,
    });
  }

  return {
    time,
    states,
    webhooks,
    deliveries,
    runs,
    start,
    advance(ms: number) {
      time.nowMs += ms;
      time.steadyMs += ms;
    },
    publish: (messageId: string, more: Partial<NewMessage> = {}) =>
      deliveries.publish({
        accountId: 1,
        messageId,
        event: 'Contact.Added',
        body: '{}',
        webhookId: null,
        idempotencyKey: null,
        idempotencyMs: 60_000,
        retentionMs: 60_000,
        maxQueued: 8,
        rateMarginMs: 0,
        ...more,
      }),
    finish: (deliveryId: string, attempt: number, verdict: Verdict, durationMs = 10) =>
      deliveries.finish({
        ...ref,
        deliveryId,
        attempt,
        result: { status: null, durationMs, error: null, response: null },
        verdict,
        disableAfterMs: 20_000,
        maxInFlight: 10,
      }),
    /** Starts an attempt of the delivery, and ends it at once. */
    async attempt(deliveryId: string, verdict: Verdict) {
      const outcome = await start(deliveryId);
      if (outcome.outcome !== 'started') throw new Error(`is ${outcome.outcome}`);
      return this.finish(deliveryId, outcome.attempt, verdict);
    },
  };
}

// What the contract promises is certified by the testkit, in test/storage.
describe('MemoryDeliveryStore', () => {
  let app: Awaited<ReturnType<typeof setUp>>;

  beforeEach(async () => {
    app = await setUp();
  });

  it('keeps every index in step with where the deliveries stand, whatever happens', async () => {
    const verdicts: Verdict[] = [
      { kind: 'delivered' },
      { kind: 'retry', delayMs: 700 },
      { kind: 'excused', delayMs: 0 },
      { kind: 'dead', reason: 'exhausted' },
      { kind: 'dead', reason: 'gone' },
    ];
    const step = fc.record({
      what: fc.constantFrom(
        ...(['publish', 'publish', 'start', 'start', 'start', 'finish', 'finish'] as const),
        ...(['resend', 'recover', 'enable', 'release', 'reschedule', 'change', 'pause'] as const),
        ...(['overdue', 'overdue'] as const),
      ),
      nth: fc.nat({ max: 14 }),
      verdict: fc.constantFrom(...verdicts),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), async (steps) => {
        app = await setUp();
        const { deliveries, webhooks } = app;
        for (const { what, nth, verdict } of steps) {
          const deliveryId = `msg_${nth}`;
          const found = await deliveries.find({ ...ref, deliveryId });
          if (what === 'publish') await app.publish(deliveryId);
          if (what === 'start') await app.start(deliveryId, { maxInFlight: 3 });
          if (what === 'finish') {
            const attempt = app.states.delivery({ ...ref, deliveryId })?.attempt ?? 0;
            await app.finish(deliveryId, attempt, verdict);
          }
          if (what === 'resend') await deliveries.resend({ ...ref, deliveryId });
          if (what === 'recover') {
            const sinceMs = found?.createdAtMs ?? 0;
            await deliveries.recover(ref, { sinceMs, limit: 1 + nth });
          }
          if (what === 'enable') await webhooks.enable(ref);
          if (what === 'release') await deliveries.release(ref, { limit: 1 + nth });
          if (what === 'reschedule') {
            const line = nth % 2 === 0 ? 'retries' : 'first_tries';
            const after = found && ({ line, place: found.sequence } as const);
            await deliveries.reschedule(ref, {
              rateMarginMs: 0,
              maxInFlight: Math.max(1, nth),
              leaseMs: 1_000,
              limit: 1 + nth,
              after,
            });
          }
          if (what === 'overdue') {
            await deliveries.overdue({ graceMs: 0, limit: 1 + nth, putOffMs: 500 });
          }
          if (what === 'change') await webhooks.change(ref, { rateLimit: 1 + nth });
          if (what === 'pause') app.advance(nth * nth * 100);
          // An engine learns of new runs from the calls above; here, they are read from the store.
          for (const { message, run } of app.states.webhook(ref)?.log.values() ?? []) {
            app.runs.set(message.messageId, run);
          }
          await expectInStep();
        }
      }),
      { seed: 1, numRuns: 60 },
    );
  });

  async function expectInStep(): Promise<void> {
    const records = await app.deliveries.list(ref, { limit: 100, after: null });
    const webhook = app.states.webhook(ref);
    if (records === null || webhook === undefined) throw new Error('The webhook is gone.');
    const ids = (...states: string[]) =>
      records
        .filter(({ state }) => states.includes(state))
        .map(({ deliveryId }) => deliveryId)
        .reverse();
    const { queued, held, dead } = webhook.lines;
    expect(membersOf(queued).map(idOf)).toEqual(ids('queued'));
    expect(membersOf(held).map(idOf)).toEqual(ids('held'));
    expect(membersOf(dead).map(idOf)).toEqual(ids('dead'));
    const retries = membersOf(webhook.retries);
    expect(retries.filter(({ state }) => state !== 'waiting')).toEqual([]);
    const inFlight = webhook.leases.until(Number.POSITIVE_INFINITY, 100, () => true);
    expect(inFlight.filter(({ state }) => state !== 'sending')).toEqual([]);
    const pending = app.states.due.until(Number.POSITIVE_INFINITY, 100, () => true);
    expect(pending.map(idOf).sort()).toEqual(ids(...PENDING).sort());
    expect(await app.deliveries.countPending()).toBe(pending.length);
    for (const record of records) expectWhole(record);
  }

  function expectWhole({ state, deadReason, nextAttemptAtMs }: ListedDelivery): void {
    expect(deadReason === null).toBe(state !== 'dead');
    expect(nextAttemptAtMs !== null).toBe(state === 'queued' || state === 'waiting');
  }

  it('spreads what is sent again, so that none of a great many asks more than twice', async () => {
    const ids = Array.from({ length: 200 }, (_, nth) => `msg_${nth}`);
    await app.webhooks.change(ref, { rateLimit: 1000 });
    for (const id of ids) {
      await app.publish(id, { maxQueued: 1000 });
      await app.attempt(id, { kind: 'dead', reason: 'exhausted' });
    }
    app.advance(1000);
    await app.webhooks.change(ref, { rateLimit: 10 });
    const batch = await app.deliveries.recover(ref, { sinceMs: 0, limit: 1000 });
    const asks = (batch?.scheduled ?? []).map(({ deliveryId, run, delayMs }) => {
      app.runs.set(deliveryId, run);
      return { deliveryId, atMs: delayMs, asked: 0 };
    });
    const startedAtMs: number[] = [];
    for (let ms = 0; startedAtMs.length < 200; ms += 1) {
      for (const ask of asks.filter(({ atMs }) => atMs === ms)) {
        const outcome = await app.start(ask.deliveryId);
        ask.asked += 1;
        if (outcome.outcome === 'started') startedAtMs.push(ms);
        if (outcome.outcome === 'deferred') ask.atMs = ms + outcome.delayMs;
      }
      app.advance(1);
    }
    expect(Math.max(...asks.map(({ asked }) => asked))).toBeLessThanOrEqual(2);
    // Ten at once, and then ten a second.
    expect(startedAtMs.at(-1)).toBe(19_900);
  });

  it('has a retry wait behind those that still do, and not behind one that has started', async () => {
    await app.webhooks.change(ref, { rateLimit: 2 });
    for (const id of ['msg_1', 'msg_2']) {
      await app.publish(id);
      await app.attempt(id, { kind: 'retry', delayMs: 0 });
    }
    expect(await app.start('msg_1')).toMatchObject({ reason: 'rate', delayMs: 1000 });
    expect(await app.start('msg_2')).toMatchObject({ reason: 'rate', delayMs: 1500 });
    app.advance(1000);
    await app.start('msg_1');
    await app.webhooks.change(ref, { rateLimit: 1 });
    expect(await app.start('msg_2')).toMatchObject({ reason: 'rate', delayMs: 1000 });
  });

  it('counts a rate on a clock that nobody sets back', async () => {
    for (let nth = 0; nth < 6; nth += 1) await app.publish(`msg_${nth}`);
    for (let nth = 0; nth < 5; nth += 1) await app.start(`msg_${nth}`);
    app.time.nowMs -= 3_600_000;
    const deferred = { outcome: 'deferred', reason: 'rate', delayMs: 1000, next: null };
    expect(await app.start('msg_5')).toEqual(deferred);
    app.advance(1000);
    expect(await app.start('msg_5')).toMatchObject({ outcome: 'started' });
  });

  it('knows what started before the period of the rate was made longer', async () => {
    for (let nth = 0; nth < 6; nth += 1) await app.publish(`msg_${nth}`);
    for (let nth = 0; nth < 5; nth += 1) await app.start(`msg_${nth}`);
    app.advance(10_000);
    await app.webhooks.change(ref, { rateLimitPeriod: 'minute' });
    const deferred = { outcome: 'deferred', reason: 'rate', delayMs: 50_000, next: null };
    expect(await app.start('msg_5', { leaseMs: 60_000 })).toEqual(deferred);
  });

  it('recovers by when they were created, though the clock was set back between them', async () => {
    const sinceMs = app.time.nowMs;
    for (const [id, atMs] of Object.entries({ msg_1: 1, msg_2: -2, msg_3: -1, msg_4: 3 })) {
      app.time.nowMs = sinceMs + atMs;
      await app.publish(id);
      await app.attempt(id, { kind: 'dead', reason: 'exhausted' });
    }
    const recover = () => app.deliveries.recover(ref, { sinceMs, limit: 1 });
    expect(await recover()).toMatchObject({ scheduled: [{ deliveryId: 'msg_1' }], more: true });
    expect(await recover()).toMatchObject({ scheduled: [{ deliveryId: 'msg_4' }], more: false });
    expect(await recover()).toEqual({ scheduled: [], count: 0, more: false });
  });

  it('leaves the records that it answered as they were', async () => {
    await app.publish('msg_1');
    const before = await app.deliveries.find({ ...ref, deliveryId: 'msg_1' });
    const copy = structuredClone(before);
    await app.attempt('msg_1', { kind: 'delivered' });
    expect(before).toEqual(copy);
  });

  it('sends a held one again whose release was lost, once its webhook is enabled', async () => {
    await app.publish('msg_1');
    await app.publish('msg_2');
    await app.attempt('msg_1', { kind: 'dead', reason: 'gone' });
    expect(await app.start('msg_2')).toEqual({ outcome: 'held' });
    const held = { ...ref, deliveryId: 'msg_2' };
    expect(await app.deliveries.resend(held)).toEqual({ outcome: 'held' });
    await app.webhooks.enable(ref);
    const scheduled = { ...held, run: 2, delayMs: 0 };
    expect(await app.deliveries.resend(held)).toEqual({ outcome: 'scheduled', scheduled });
  });
});
