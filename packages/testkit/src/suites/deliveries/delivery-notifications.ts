import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClaimRequest } from '@latchhook/core/storage';
import {
  type WebhookConnection,
  type WebhookFixture,
  webhookSuite,
} from '../../fixtures/webhook-fixture.ts';
import { EXHAUSTED, GONE, retryIn } from '../../samples/attempt-samples.ts';
import { newWebhook } from '../../samples/webhook-samples.ts';

const REF = newWebhook('w1');

/** Prepares a delivery. The returned function makes it due. */
type PrepareDelivery = (id: string) => Promise<() => Promise<unknown>>;

/** A notification must arrive within this time. Shorter waits are tried first. */
const MAX_PATIENCE_MS = 1_000;

export const deliveryNotifications = webhookSuite('deliveries: notifications', {
  'notifies current subscribers, but no former ones, when a message is published': (t) =>
    assertNotified(t, async (id) => () => t.publishOne(id)),

  'notifies subscribers when deliveries are resent': async (t) => {
    const publishFailed = async (id: string) => {
      await t.publishOne(id);
      await t.complete(await t.claimAll(), EXHAUSTED);
    };
    await assertNotified(t, async (id) => {
      await publishFailed(`one ${id}`);
      return () => t.redeliver(REF, `one ${id}`);
    });
    await assertNotified(t, async (id) => {
      await publishFailed(`failed ${id}`);
      return () => t.deliveries.redeliverFailed(REF, { sinceMs: 0, limit: 9 });
    });
  },

  'notifies subscribers when a webhook with due deliveries is enabled': async (t) => {
    await assertNotified(t, async (id) => {
      await t.publishOne(`gone ${id}`);
      await t.publishOne(`held ${id}`);
      const [disabling, retried] = await t.claimExactly(2);
      await t.complete([disabling], GONE);
      await t.complete([retried], retryIn(0));
      return () => t.webhooks.enable(REF);
    });
  },

  'notifies subscribers when a removal frees a permit of the account': async (t) => {
    const limits = { maxInFlightPerAccount: 1 };
    const prepare: PrepareDelivery = async (id) => {
      // Left over if the notification of the last round was too late.
      await failAllDue(t, limits);
      const ref = await t.register(id);
      await t.publishOne(`of ${id}`, { webhookId: id });
      await t.claimSingle(limits);
      await t.publishOne(`next ${id}`, { webhookId: 'w1' });
      return () => t.webhooks.remove(ref);
    };
    await assertNotified(t, prepare, limits);
  },
});

/**
 * Makes deliveries due until a notification leads to an attempt: a single notification may be missed, or come when
 * nothing is due.
 */
async function assertNotified(
  t: WebhookFixture,
  prepare: PrepareDelivery,
  limits: Partial<ClaimRequest> = {},
): Promise<void> {
  const [other] = await t.connections(1);
  if (other?.deliveries.subscribe === undefined) return;
  await t.register('w1');
  let isDue = false;
  let claimed = 0;
  let notificationsAfterEnd = 0;
  // Ends before anything becomes due, so that it must get no notification.
  const unsubscribeFirst = other.deliveries.subscribe(() => {
    notificationsAfterEnd += 1;
  });
  const pendingClaims: Promise<void>[] = [];
  const claimIfDue = async (): Promise<void> => {
    if (isDue) claimed += (await other.claimOnce(limits)).attempts.length;
  };
  const unsubscribe = other.deliveries.subscribe(() => pendingClaims.push(claimIfDue()));
  await unsubscribeFirst();
  notificationsAfterEnd = 0;
  for (let patienceMs = 5; claimed === 0; patienceMs *= 2) {
    assert.ok(patienceMs < MAX_PATIENCE_MS, 'was not notified');
    isDue = false;
    const makeDue = await prepare(`${patienceMs}`);
    await failAllDue(other, limits);
    await sleep(patienceMs);
    isDue = true;
    await makeDue();
    await sleep(patienceMs);
    // A claim that is still in progress would get the next delivery.
    await Promise.all(pendingClaims);
  }
  assert.equal(notificationsAfterEnd, 0);
  await unsubscribe();
  await Promise.all(pendingClaims);
}

/** Empties the queue, because only a process that finds nothing due waits for a notification. */
async function failAllDue(
  connection: WebhookConnection,
  limits: Partial<ClaimRequest>,
): Promise<void> {
  const attempts = await connection.claimAll(limits);
  if (attempts.length > 0) await connection.complete(attempts, EXHAUSTED);
}
