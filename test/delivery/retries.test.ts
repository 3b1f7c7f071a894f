import { randomBytes } from 'node:crypto';
import { createAuth, memoryStorage, type SecurityEvent } from '@latchhook/core';
import { inProcessWorker } from '@latchhook/delivery';
import {
  type ReceiverScript,
  startFakeReceiver,
  virtualTime,
  watchAttempts,
} from '@latchhook/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { deliveryLog } from '../support/deliveries/delivery-log.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
/** The delays between attempts, without jitter. */
const DELAYS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];
const ACCOUNT = 1;
/** A worker may notice a due delivery late by one poll. */
const POLL_MS = SECOND_MS;

/** An app in memory with a worker and a receiver with these responses, all in virtual time. */
async function openFixture(answers: ReceiverScript) {
  const time = virtualTime();
  const { clock, timers } = time;
  const receiver = await startFakeReceiver({ answers, clock, timers });
  onTestFinished(() => receiver.close());
  const storage = memoryStorage({ clock });
  const watched = watchAttempts(storage.deliveries);
  // Attempts run in real time, but those that the receiver holds wait for virtual time.
  time.holdWhile(() => watched.unsettled() !== receiver.held());
  const events: SecurityEvent[] = [];
  const auth = createAuth({
    issuer: 'https://issuer.example',
    users: { findByUsername: async () => null, findById: async () => null },
    storage: { ...storage, deliveries: watched.deliveries },
    keys: { encryption: [randomBytes(32)] },
    webhooks: {
      worker: inProcessWorker({ timers }),
      allowHttp: true,
      allowPrivateAddresses: true,
    },
    clock,
    onSecurityEvent: (event) => void events.push(event),
  });
  onTestFinished(() => auth.close());
  const creation = await auth.webhooks.create(ACCOUNT, {
    event: 'Contact.Added',
    url: `${receiver.url}/hooks`,
  });
  if (creation.outcome !== 'created') throw new Error(creation.outcome);
  const { webhook } = creation;
  const publish = async () => {
    const published = await auth.events.publish('Contact.Added', { accountId: ACCOUNT, data: {} });
    return published.id;
  };
  const log = () => deliveryLog(storage.deliveries, webhook);
  /** Delivers one event, from its first attempt to its end. */
  async function deliver(): Promise<void> {
    await publish();
    // Virtual time must not advance before the first attempt has loaded the sender, in real time.
    await receiver.waitFor(1);
    await time.runUntil(async () => (await storage.deliveries.stats()).pending === 0);
  }
  const gapsMs = () => {
    const times = receiver.received().map(({ atMs }) => atMs);
    return times.slice(1).map((atMs, i) => atMs - (times[i] ?? 0));
  };
  return { auth, time, receiver, events, webhook, publish, log, deliver, gapsMs };
}

describe('a delivery that fails', () => {
  it('is attempted ten times over three days on the retry schedule, then fails for good', async () => {
    const { deliver, gapsMs, receiver, events, log } = await openFixture(500);
    await deliver();
    expect(receiver.received()).toHaveLength(10);
    for (const [i, gapMs] of gapsMs().entries()) {
      const delayMs = DELAYS_MS[i] ?? Number.NaN;
      expect(gapMs).toBeGreaterThanOrEqual(0.8 * delayMs);
      expect(gapMs).toBeLessThanOrEqual(1.2 * delayMs + POLL_MS);
    }
    expect(events.map(({ type }) => type).filter((type) => type !== 'webhook.created')).toEqual([
      'delivery.dead',
    ]);
    expect(await log()).toMatchObject([{ state: 'dead', deadReason: 'exhausted' }]);
  });

  it('is retried after a minute if the receiver timed out', async () => {
    const { deliver, gapsMs, log } = await openFixture(['hang', 204]);
    await deliver();
    // The 15 s of the attempt, and a minute with jitter after the timeout.
    const [gapMs] = gapsMs();
    expect(gapMs).toBeGreaterThanOrEqual(75_000);
    expect(gapMs).toBeLessThanOrEqual(90_000);
    const [delivery] = await log();
    expect(delivery?.attempts.map(({ error }) => error)).toEqual(['timeout', null]);
  });

  it('waits for the Retry-After of the receiver, while other deliveries wait for a minute', async () => {
    const asking = { status: 503, headers: { 'retry-after': '1200' } };
    const { deliver, publish, receiver, time } = await openFixture([asking, 204]);
    const delayedId = await publish();
    await receiver.waitFor(1);
    await time.advance(10 * SECOND_MS);
    await deliver();
    const [first, other, again, ...more] = receiver.received();
    expect(more).toEqual([]);
    expect(again?.headers['webhook-id']).toBe(delayedId);
    const afterMs = (atMs = Number.NaN) => atMs - (first?.atMs ?? Number.NaN);
    expect(afterMs(other?.atMs)).toBeGreaterThanOrEqual(MINUTE_MS);
    expect(afterMs(other?.atMs)).toBeLessThanOrEqual(MINUTE_MS + POLL_MS);
    expect(afterMs(again?.atMs)).toBeGreaterThanOrEqual(20 * MINUTE_MS);
    expect(afterMs(again?.atMs)).toBeLessThanOrEqual(1.2 * 20 * MINUTE_MS + POLL_MS);
  });

  it('leaves no text of the response body in the log', async () => {
    const { deliver, log, auth, webhook } = await openFixture([
      { status: 500, body: 'from inside' },
      204,
    ]);
    await deliver();
    const [delivery] = await log();
    expect(delivery?.attempts).toMatchObject([{ status: 500 }, { status: 204 }]);
    const listings = [await log(), await auth.webhooks.listDeliveries(webhook)];
    expect(JSON.stringify(listings)).not.toContain('from inside');
  });
});

describe('a webhook', () => {
  it('is disabled after five days of only failures, and its held delivery is sent after enable()', async () => {
    const { auth, time, receiver, events, webhook, publish, log } = await openFixture(500);
    const startMs = time.clock.nowMs();
    const disabled = () => events.find(({ type }) => type === 'webhook.disabled');
    await publish();
    await receiver.waitFor(1);
    // The first delivery fails within the five days, the second after them.
    await time.advance(70 * HOUR_MS);
    await publish();
    await time.runUntil(() => disabled() !== undefined);
    expect(time.clock.nowMs() - startMs).toBeGreaterThan(5 * 24 * HOUR_MS);
    expect(disabled()).toMatchObject({ reason: 'failing' });
    expect(await auth.webhooks.find(webhook)).toMatchObject({ disabledReason: 'failing' });

    const heldId = await publish();
    const tries = receiver.received().length;
    await time.advance(HOUR_MS);
    expect(receiver.received()).toHaveLength(tries);
    expect((await log()).at(-1)).toMatchObject({ deliveryId: heldId, state: 'held' });
    receiver.answer(204);
    await auth.webhooks.enable(webhook);
    await time.runUntil(async () => (await log()).at(-1)?.state === 'delivered');
  });
});
