import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DeliveryStore } from '@latchhook/core/storage';
import {
  claimAll,
  claimOnce,
  completeAttempts,
  EXHAUSTED,
  GONE,
  publishOne,
  retryIn,
} from '../../actions/claim.ts';
import { register } from '../../actions/register-webhook.ts';
import type { WebhookFixture } from '../../fixtures/webhook-fixture.ts';
import { newWebhook } from '../../samples/webhook-samples.ts';
import type { Suite } from '../../suite.ts';

const REF = newWebhook('w1');

/** Prepares a delivery. The returned function makes it due. */
type PrepareDelivery = (id: string) => Promise<() => Promise<unknown>>;

/** A notification must arrive within this time. Shorter waits are tried first. */
const MAX_PATIENCE_MS = 1_000;

export const deliveryNotifications: Suite<WebhookFixture> = {
  name: 'deliveries: notifications',
  cases: {
    'notifies only current subscribers of published messages': (fixture) =>
      assertNotified(fixture, async (id) => () => publishOne(fixture.deliveries, id)),

    'notifies subscribers of resent deliveries': async (fixture) => {
      const { deliveries } = fixture;
      const publishFailed = async (id: string) => {
        await publishOne(deliveries, id);
        await completeAttempts(deliveries, await claimAll(deliveries), EXHAUSTED);
      };
      await assertNotified(fixture, async (id) => {
        await publishFailed(`one ${id}`);
        return () => deliveries.redeliver({ ...REF, deliveryId: `one ${id}` });
      });
      await assertNotified(fixture, async (id) => {
        await publishFailed(`failed ${id}`);
        return () => deliveries.redeliverFailed(REF, { sinceMs: 0, limit: 9 });
      });
    },

    'notifies subscribers of an enabled webhook': async (fixture) => {
      const { webhooks, deliveries } = fixture;
      await assertNotified(fixture, async (id) => {
        await publishOne(deliveries, `gone ${id}`);
        await publishOne(deliveries, `held ${id}`);
        const [disabling, retried] = await claimAll(deliveries);
        assert.ok(disabling && retried);
        await completeAttempts(deliveries, [disabling], GONE);
        await completeAttempts(deliveries, [retried], retryIn(0));
        return () => webhooks.enable(REF);
      });
    },
  },
};

/**
 * Makes deliveries due until a notification leads to an attempt: a single notification may be missed, or come when
 * nothing is due.
 */
async function assertNotified(fixture: WebhookFixture, prepare: PrepareDelivery): Promise<void> {
  const [other] = await fixture.connections(1);
  if (other?.deliveries.subscribe === undefined) return;
  await register(fixture.webhooks, 'w1');
  const { deliveries } = other;
  let isDue = false;
  let claimed = 0;
  let notificationsAfterEnd = 0;
  const unsubscribeFirst = other.deliveries.subscribe(() => {
    notificationsAfterEnd += 1;
  });
  const pendingClaims: Promise<void>[] = [];
  const claimIfDue = async (): Promise<void> => {
    if (isDue) claimed += (await claimOnce(deliveries)).attempts.length;
  };
  const unsubscribe = other.deliveries.subscribe(() => pendingClaims.push(claimIfDue()));
  await unsubscribeFirst();
  notificationsAfterEnd = 0;
  for (let patienceMs = 5; claimed === 0; patienceMs *= 2) {
    assert.ok(patienceMs < MAX_PATIENCE_MS, 'was not notified');
    isDue = false;
    const makeDue = await prepare(`${patienceMs}`);
    await failAllDue(deliveries);
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
async function failAllDue(deliveries: DeliveryStore): Promise<void> {
  const attempts = await claimAll(deliveries);
  if (attempts.length > 0) await completeAttempts(deliveries, attempts, EXHAUSTED);
}
